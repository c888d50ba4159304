import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { startWatched } from './watched-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUNNING = /Running on http/;

/** SAM as its users start it, without `npm run sam`. */
export interface PlainSam {
  readonly origin: string;
  readonly stop: () => Promise<number>;
}

/** The two commands of docs/sam-local.md, with a free port and the base image that is there. @throws when SAM ends instead */
export const startPlainSam = async (env: NodeJS.ProcessEnv): Promise<PlainSam> => {
  const architecture = process.arch === 'arm64' ? [] : ['-c', 'architecture=x86_64'];
  await runCommand('npx', ['cdk', 'synth', '--quiet', ...architecture], { env, cwd: ROOT });
  const port = await freePort();
  const template = join(ROOT, 'cdk.out/vehicle-verification-dev.template.json');
  const options = ['--port', String(port), '--skip-pull-image'];
  const { child, ended, stop } = startWatched('sam', ['local', 'start-api', '-t', template, ...options], env);
  let said = '';
  const running = new Promise<void>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said += `${line}\n`;
      if (RUNNING.test(line)) resolve();
    });
  });
  child.stdout.resume();
  const isRunning = await Promise.race([running.then(() => true), ended.then(() => false), once(child, 'error')]);
  if (isRunning !== true) throw new Error(`sam local did not start:\n${said}`);
  return { origin: `http://127.0.0.1:${port}`, stop };
};
