/**
 * `npm run bench` prints every measurement as Markdown; `npm run bench -- cold warm` prints some. A missed target fails
 * nothing. Each measurement has a process of its own, so that none sees the environment or memory of another.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Progress, type Run, sectionMarkdown } from './report.ts';

/** Each measurement is a file of the same name. */
const TITLES = {
  'round-trip': 'A lookup costs one round trip',
  cold: 'Cold starts',
  warm: 'Warm invocations',
  unauthenticated: 'Requests without a valid key',
  gateway: 'The local gateway',
  bulk: 'A bulk request of 1,000',
  import: 'Imports',
  list: 'Lists of 100,000 items',
  cost: 'What a million requests cost',
} as const;

const isMeasurement = (id: string): id is keyof typeof TITLES => Object.hasOwn(TITLES, id);

const showProgress: Progress = (done, total, doing) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${done}/${total} ${doing}`);
};

const measure = async (id: keyof typeof TITLES): Promise<void> => {
  const { default: run } = (await import(`./${id}.ts`)) as { default: Run };
  const outcome = await run(showProgress);
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  process.stdout.write(`${sectionMarkdown(TITLES[id], outcome)}\n\n`);
};

const given = process.argv.slice(2);
const unknown = given.filter((id) => !isMeasurement(id));
if (unknown.length > 0) {
  throw new Error(`no measurement ${unknown.join(', ')}; there are: ${Object.keys(TITLES).join(', ')}`);
}
const ids = given.length > 0 ? given.filter(isMeasurement) : Object.keys(TITLES).filter(isMeasurement);
const [only, ...more] = ids;
if (only !== undefined && more.length === 0) {
  await measure(only);
  process.exit();
}
for (const id of ids) {
  const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), id], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
