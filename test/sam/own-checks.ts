import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from './run-command.ts';
import type { SamRun } from './sam-run.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'bin', 'sam.ts');
const CANNOT_START = 2;

const runSam = (env: NodeJS.ProcessEnv) => spawnSync(process.execPath, [PROGRAM], { env, encoding: 'utf8' });

const saysInWords = ({ status, stderr }: ReturnType<typeof runSam>, ...words: RegExp[]): void => {
  assert.equal(status, CANNOT_START, stderr);
  for (const word of words) assert.match(stderr, word);
  assert.doesNotMatch(stderr, /^\s+at /m, 'a stack was shown');
};

/** Without its tools, it says what is missing and how to get it. */
export const saysWhatIsMissing = (): void => {
  saysInWords(
    runSam({ PATH: dirname(process.execPath) }),
    /SAM CLI is not installed\. Get it/,
    /Docker is not installed\. Get it/,
  );
};

/** With Docker installed and no engine, it says how to start one. */
export const saysThatNoEngineAnswers = (env: NodeJS.ProcessEnv): void => {
  saysInWords(runSam({ ...env, DOCKER_HOST: 'unix:///nowhere' }), /no engine answers\. Start/);
};

/** A port that is taken is told before anything is started. */
export const saysThatPortIsTaken = (env: NodeJS.ProcessEnv, { origin }: SamRun): void => {
  saysInWords(runSam({ ...env, PORT: new URL(origin).port }), /^Port \d+ is taken; set PORT/m);
};

const isSilent = (address: string): Promise<void> => assert.rejects(fetch(address), `${address} still answers`);

/** Nothing is left: no server, no container, no file. */
export const leavesNothing = async (env: NodeJS.ProcessEnv, { origin, dynamodb }: SamRun): Promise<void> => {
  await isSilent(origin);
  await isSilent(dynamodb);
  const filter = ['--filter', 'label=sam.cli.container.type=lambda'];
  assert.equal(await runCommand('docker', ['ps', '--all', '--quiet', ...filter], { env }), '');
  assert.deepEqual(
    readdirSync(join(ROOT, 'cdk.out')).filter((name) => name.startsWith('sam-')),
    [],
  );
};
