/**
 * Every endpoint through `npm run sam`, in real Lambda containers: `npm run test:sam`. It brings SAM CLI, a Docker engine
 * where none answers, and a STAND-IN OF OURS for AWS's base image where that has not been pulled (base-image.ts). Needs
 * Python with venv; root on Debian for what has to be installed. Stops at the first fault and leaves nothing running.
 */

import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { CleanUp } from '../../lib/local/sam/clean-up.ts';
import { adminProcess } from '../black-box/admin-process.ts';
import { prepareTarget } from '../black-box/prepare-target.ts';
import { runChecks } from '../black-box/run-checks.ts';
import { freePort } from '../support/free-port.ts';
import { requireBaseImage } from './base-image.ts';
import { requireEngine } from './docker-engine.ts';
import { leavesNothing, saysThatNoEngineAnswers, saysThatPortIsTaken, saysWhatIsMissing } from './own-checks.ts';
import { installSam } from './sam-cli.ts';
import { type SamRun, startSamRun } from './sam-run.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

const step = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
  const started = performance.now();
  const result = await work();
  say(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  return result;
};

const drive = async (sam: SamRun): Promise<number> => {
  const keys = await prepareTarget(adminProcess(['--dynamodb', sam.dynamodb], process.env), new Date());
  try {
    return await runChecks({ origin: sam.origin, keys }, say);
  } catch (error) {
    say(sam.said());
    throw error;
  }
};

const proveInContainers = async (env: NodeJS.ProcessEnv, cleanUp: CleanUp): Promise<number> => {
  await step('says what is missing', saysWhatIsMissing);
  await step('says that no engine answers', () => saysThatNoEngineAnswers(env));
  const sam = await step('npm run sam', () => startSamRun(env, cleanUp));
  await step('says that its port is taken', () => saysThatPortIsTaken(env, sam));
  const held = await step('every endpoint, in containers', () => drive(sam));
  assert.equal(await step('stops', sam.stop), 0);
  await leavesNothing(env, sam);
  return held;
};

const main = async (cleanUp: CleanUp): Promise<void> => {
  const programs = await step('SAM CLI', installSam);
  const engine = await step('Docker engine', () => requireEngine(cleanUp));
  const image = await step('base image', () => requireBaseImage(engine, cleanUp));
  say(`          The functions run on ${image}.`);
  const ports = { PORT: String(await freePort()), DYNAMODB_PORT: String(await freePort()) };
  const env = { ...engine, ...ports, PATH: [programs, engine.PATH].join(delimiter) };
  const held = await proveInContainers(env, cleanUp);
  say(`${held} checks held through sam local, on ${image}; and it says what is missing and leaves nothing behind.`);
};

const cleanUp = new CleanUp();

/** Ends everything, then this process; a second call only waits for the first to be through. */
const end = async (exitCode: number): Promise<never> => {
  try {
    await cleanUp.run();
  } catch (error) {
    say(`Not everything could be stopped: ${error}`);
    return process.exit(1);
  }
  return process.exit(exitCode);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(1));

try {
  await main(cleanUp);
  await end(0);
} catch (error) {
  say(String(error));
  await end(1);
}
