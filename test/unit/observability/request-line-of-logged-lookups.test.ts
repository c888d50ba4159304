/** The tests of the line of a request once more, where the stage logs lookups. */
process.env.LOGS_LOOKUPS = 'yes';

await import('./request-line.test.ts');
