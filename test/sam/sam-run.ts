import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CleanUp } from '../../lib/local/sam/clean-up.ts';
import { startWatched } from './watched-process.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/sam.ts');
const READY = /^Ready\./;
const ORIGIN = /Base address +(http:\/\/[^/]+)/;
const DYNAMODB = /DynamoDB +(http:\S+)/;
const LAST_CHARACTERS = 3_000;

/** `npm run sam`, ready for requests. */
export interface SamRun {
  readonly origin: string;
  readonly dynamodb: string;
  /** All that it has said. */
  readonly said: () => string;
  /** Asks it to end and gives its exit code. */
  readonly stop: () => Promise<number>;
}

/** Starts `npm run sam` and waits until it is ready; `cleanUp` ends it. @throws with what it said when it ends instead */
export const startSamRun = async (env: NodeJS.ProcessEnv, cleanUp: CleanUp): Promise<SamRun> => {
  const { child, ended, stop } = startWatched(process.execPath, [PROGRAM, '--skip-pull-image'], env);
  cleanUp.defer(() => stop());
  let said = '';
  const hear = (line: string) => {
    said += `${line}\n`;
  };
  createInterface({ input: child.stderr }).on('line', hear);
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      hear(line);
      if (READY.test(line)) resolve();
    });
  });
  const isReady = await Promise.race([ready.then(() => true), ended.then(() => false)]);
  if (!isReady) throw new Error(`npm run sam did not start:\n${said.slice(-LAST_CHARACTERS)}`);
  const [, origin = ''] = ORIGIN.exec(said) ?? [];
  const [, dynamodb = ''] = DYNAMODB.exec(said) ?? [];
  return { origin, dynamodb, said: () => said.slice(-LAST_CHARACTERS), stop };
};
