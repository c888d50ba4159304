/** The stage of a shakedown, and the commands that its steps use. */
import { type ExecFileException, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BASE_ADDRESS_OUTPUT } from '../cloud/outputs.ts';

export const STACK = 'vehicle-verification-shakedown';

export const ROOT = join(import.meta.dirname, '../..');

/** The lowest that a stage accepts, so that one machine can exceed it. */
const THROTTLE = { rateLimit: 100, burstLimit: 200 };
const POLL_MS = 5_000;
const MINUTE_MS = 60_000;
const REQUEST_MS = 15_000;
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

interface CommandOptions {
  readonly cwd?: string;
  /** Added to the target's. */
  readonly env?: NodeJS.ProcessEnv;
  /** An exit code besides 0 that means success. */
  readonly accepted?: number;
}

/**
 * Opens the shakedown's own stage, which keeps no data; its settings are in a temporary folder.
 * @param env names the operator's profile, or an emulator as `AWS_ENDPOINT_URL`
 */
export const openTarget = async (region: string, account: string, env: NodeJS.ProcessEnv) => {
  const emulator = env.AWS_ENDPOINT_URL;
  const folder = await mkdtemp(join(tmpdir(), 'shakedown-'));

  /** The trimmed standard output of a command. @throws Error with its whole output when it fails */
  const run = async (command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> => {
    const settings = { cwd: options.cwd ?? ROOT, env: { ...env, ...options.env }, maxBuffer: MAX_OUTPUT_BYTES };
    try {
      return (await promisify(execFile)(command, args, settings)).stdout.trim();
    } catch (error) {
      const { code, stdout = '', stderr = '', message } = error as ExecFileException;
      if (code === options.accepted) return stdout.trim();
      throw new Error(`${command} ${args[0] ?? ''} failed: ${stdout}${stderr || message}`);
    }
  };

  const aws = (...args: string[]) => run('aws', [...args, '--output', 'text']);

  /** The settings take effect with the next deployment. */
  const writeSettings = (changes: object = {}) => {
    const settings = { region, account, throttle: THROTTLE, gradualDeployment: emulator === undefined, ...changes };
    return writeFile(join(folder, 'shakedown.json'), JSON.stringify(settings));
  };

  const cdk = (command: string, args: readonly string[] = [], cwd = ROOT) => {
    const context = ['-c', 'stage=shakedown', '-c', `stages=${folder}`, '--output', join(folder, 'cdk.out')];
    return run(join(ROOT, 'node_modules/.bin/cdk'), [command, ...context, '--no-notices', ...args], { cwd });
  };

  const output = (name: string) => run(join(ROOT, '.ci/stack-output'), [STACK, name]);

  /** Runs the operator CLI on the stage. Exit code 1, rejected rows, is a success. */
  const admin = (...args: string[]) =>
    run(process.execPath, [join(ROOT, 'bin/admin.ts'), ...args, '--stack', STACK], { accepted: 1 });

  let known: string | undefined;
  /** `https://host` of the API. */
  const origin = async (): Promise<string> => {
    known ??= new URL(await output(BASE_ADDRESS_OUTPUT)).origin;
    return known;
  };

  return {
    emulator,
    run,
    aws,
    admin,
    output,
    origin,
    writeSettings,
    destroy: () => cdk('destroy', ['--force']),
    deploy: (args: readonly string[] = [], cwd = ROOT) => cdk('deploy', ['--require-approval', 'never', ...args], cwd),

    /** A new key for the sandbox. */
    createTestKey: async (): Promise<string> => {
      const options = ['--name', 'Shakedown', '--plan', 'premium', '--env', 'test', '--json'];
      return (JSON.parse(await admin('keys', 'create', ...options)) as { key: string }).key;
    },

    /** The physical name of the one resource of this type whose logical id contains `part`. */
    resource: async (type: string, part: string): Promise<string> => {
      const isIt = `ResourceType=='AWS::${type}' && contains(LogicalResourceId, '${part}')`;
      const query = `StackResourceSummaries[?${isIt}].PhysicalResourceId`;
      const list = ['list-stack-resources', '--stack-name', STACK, '--query', query];
      const [name, ...more] = (await aws('cloudformation', ...list)).split(/\s+/);
      if (!name || more.length > 0) throw new Error(`the stack has not exactly one ${type} with ${part}`);
      return name;
    },

    /** Sends a request to the API and returns the response undecoded. An emulator finds the API by the host header. */
    send: async (path: string, method = 'GET', headers: OutgoingHttpHeaders = {}, body = '') => {
      const address = await origin();
      const url = emulator ?? address;
      const options = { path, method, headers: { host: new URL(address).host, ...headers }, timeout: REQUEST_MS };
      const request = (url.startsWith('https:') ? https : http).request(url, options);
      // `once` or `toArray` throws it; without a listener it would end the process.
      request.on('error', () => undefined);
      request.on('timeout', () => request.destroy(new Error('no response in time')));
      request.end(body);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const { statusCode: status } = response;
      return { status, headers: response.headers, body: Buffer.concat(await response.toArray()) };
    },

    /** Waits until `check` is true. @throws Error after the minutes */
    until: async (what: string, minutes: number, check: () => Promise<boolean>): Promise<void> => {
      const end = performance.now() + minutes * MINUTE_MS;
      for (; !(await check()); await pause(POLL_MS)) {
        if (performance.now() > end) throw new Error(`not within ${minutes} minutes: ${what}`);
      }
    },

    close: () => rm(folder, { recursive: true }),
  };
};

export type Target = Awaited<ReturnType<typeof openTarget>>;
