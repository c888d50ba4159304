/**
 * Measures and writes docs/performance.md: `npm run bench`, or some sections of it by their names, `npm run bench -- warm`.
 * Reports: a target that is missed fails nothing, a measurement that comes to no outcome does.
 */
import { fileURLToPath } from 'node:url';
import { chosen, runSections } from '../tools/report/run.ts';
import { hasCrashed } from '../tools/report/verdict.ts';

/** The sections, each a file of the same name. */
const TITLES = {
  'round-trip': 'A look-up costs one round trip',
  cold: 'Cold starts, beside floor and peers',
  warm: 'Warm invocations, beside floor and peers',
  unauthenticated: 'Requests without a valid key',
  gateway: 'The local gateway',
  bulk: 'A bulk request of 1,000',
  import: 'Imports',
  list: 'Lists of 100,000 items',
  cost: 'What a million requests cost',
};

const sections = Object.entries(TITLES).map(([id, title]) => ({
  id,
  title,
  module: new URL(`./${id}.ts`, import.meta.url),
}));

const outcomes = await runSections(chosen(sections, process.argv.slice(2)), {
  file: fileURLToPath(new URL('../docs/performance.md', import.meta.url)),
  title: 'Performance',
  introduction: [
    'Measured, never assumed: `npm run bench` writes this page (a quarter of an hour on a quiet machine of two cores; needs Java 17',
    'for DynamoDB Local), `npm run bench -- warm list` some of its sections. Ratios between programs that ran in turns on',
    'one machine travel to other machines; milliseconds do not.',
  ].join('\n'),
  order: Object.keys(TITLES),
});
if (outcomes.some(hasCrashed)) process.exitCode = 1;
