import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../package.json', import.meta.url);

const WRONG_USAGE = 2;

const end = (text: string, exitCode = 0): never => {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(exitCode);
};

/**
 * The arguments of a program that has no options of its own. `--help`, `--version` and an argument that the program
 * does not accept end the process here, before the program does anything.
 */
export const readCommandLine = (usage: string, accepts: (argument: string) => boolean = () => false): string[] => {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) end(usage);
  if (args.includes('--version')) end(JSON.parse(readFileSync(PACKAGE, 'utf8')).version);
  const unknown = args.filter((argument) => !accepts(argument));
  if (unknown.length > 0) end(`error: unknown argument ${unknown.join(' ')}.\n${usage}`, WRONG_USAGE);
  return args;
};
