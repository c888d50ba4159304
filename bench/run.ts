/**
 * `npm run bench` prints every measurement as Markdown; `npm run bench -- lookup bulk` prints some. A missed target fails
 * nothing. Each measurement has a process of its own, so that none sees the environment or memory of another.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { clearProgress, type Measurement, machine } from './report.ts';

/** Each measurement is a file of the same name. */
const TITLES = {
  lookup: 'The insurance lookup: cold starts and warm invocations',
  'round-trip': 'A lookup costs one round trip',
  bulk: 'A bulk request of 1,000',
  unauthenticated: 'Requests without a valid key',
  overuse: 'A caller who ignores 429',
  import: 'Imports',
  staging: 'Staging files of operators',
  list: 'Lists of 100,000 items',
  'list-sizes': 'A page of a list of any size',
  'concurrent-changes': 'Many clients change content at once',
  memory: 'The memory of each function',
  cost: 'What a million requests cost',
} as const;

const isMeasurement = (id: string): id is keyof typeof TITLES => Object.hasOwn(TITLES, id);

const given = process.argv.slice(2);
const unknown = given.filter((id) => !isMeasurement(id));
if (unknown.length > 0) {
  throw new Error(`no measurement ${unknown.join(', ')}; there are: ${Object.keys(TITLES).join(', ')}`);
}
const ids = (given.length > 0 ? given : Object.keys(TITLES)).filter(isMeasurement);
const [only, ...more] = ids;
if (only !== undefined && more.length === 0) {
  const { default: measure } = (await import(`./${only}.ts`)) as { default: Measurement };
  const paragraphs = await measure();
  clearProgress();
  process.stdout.write(`${[`## ${TITLES[only]}`, ...paragraphs, machine()].join('\n\n')}\n\n`);
  process.exit();
}
for (const id of ids) {
  const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), id], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
