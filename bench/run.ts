/**
 * `npm run bench` prints every measurement as Markdown; `npm run bench -- lookup cost` prints some. A missed target
 * fails nothing. Each measurement has a process of its own, so that none sees the environment or memory of another.
 */
import { spawnSync } from 'node:child_process';
import { readCommandLine } from '../bin/command-line.ts';
import { type Measurement, machine } from './report.ts';

/** Each measurement is a file of the same name. */
const TITLES: Readonly<Record<string, string>> = {
  lookup: 'The insurance lookup: cold starts and warm invocations',
  import: 'Imports',
  cost: 'What a million requests cost, and the memory of each function',
};

const USAGE = `Usage: npm run bench [-- MEASUREMENT…]
Prints every measurement, or those that are named, as Markdown:
${Object.entries(TITLES)
  .map(([id, title]) => `  ${id.padEnd(11)}${title}`)
  .join('\n')}`;
const given = readCommandLine(USAGE, (id) => Object.hasOwn(TITLES, id));
const [only, ...more] = given;
if (only !== undefined && more.length === 0) {
  const { default: measure } = (await import(`./${only}.ts`)) as { default: Measurement };
  const paragraphs = await measure();
  process.stdout.write(`${[`## ${TITLES[only]}`, ...paragraphs, machine()].join('\n\n')}\n\n`);
  process.exit();
}
for (const id of given.length > 0 ? given : Object.keys(TITLES)) {
  process.stderr.write(`${TITLES[id]} …\n`);
  const { status } = spawnSync(process.execPath, [import.meta.filename, id], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
