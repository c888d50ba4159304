/** The stage of a shakedown, and the commands with which its steps work on it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BASE_ADDRESS_OUTPUT } from '../cloud/outputs.ts';

export const STACK = 'vehicle-verification-shakedown';

export const ROOT = join(import.meta.dirname, '../..');

/** The lowest that a stage accepts: one machine exceeds it. */
const THROTTLE = { rateLimit: 100, burstLimit: 200 };
const POLL_MS = 5_000;
const MINUTE_MS = 60_000;
const REQUEST_MS = 15_000;
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

export interface TargetOptions {
  readonly region: string;
  readonly account: string;
  /** With the profile's credentials. `AWS_ENDPOINT_URL` means an emulator. */
  readonly env: NodeJS.ProcessEnv;
}

interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Exit codes of a success. */
  readonly accepted?: readonly number[];
}

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A stage of the shakedown's own: its settings are in a temporary folder, its data goes with it. */
export const openTarget = async ({ region, account, env }: TargetOptions) => {
  const emulator = env.AWS_ENDPOINT_URL;
  const folder = await mkdtemp(join(tmpdir(), 'shakedown-'));

  /** Standard output of a command, trimmed. @throws Error with its whole output, when it fails */
  const run = (command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const { cwd = ROOT, accepted = [0] } = options;
      execFile(
        command,
        args,
        { cwd, env: { ...env, ...options.env }, maxBuffer: MAX_OUTPUT_BYTES },
        (error, stdout, stderr) => {
          if (error !== null && !accepted.includes(Number(error.code))) {
            reject(new Error(`${command} ${args[0] ?? ''} failed: ${stdout}${stderr}`));
          } else resolve(stdout.trim());
        },
      );
    });

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

  let known: string | undefined;
  /** `https://host` of the API, which stays the same as long as the stack. */
  const origin = async (): Promise<string> => {
    known ??= new URL(await output(BASE_ADDRESS_OUTPUT)).origin;
    return known;
  };

  return {
    emulator,
    run,
    aws,
    writeSettings,
    destroy: () => cdk('destroy', ['--force']),
    deploy: (args: readonly string[] = [], cwd = ROOT) => cdk('deploy', ['--require-approval', 'never', ...args], cwd),

    /** The operator CLI on the stage. Exit code 1, rejected rows, is a success. */
    admin: (...args: string[]) =>
      run(process.execPath, [join(ROOT, 'bin/admin.ts'), ...args, '--stack', STACK], { accepted: [0, 1] }),

    output,

    /** The physical name of the one resource of this type whose logical id contains `part`. */
    resource: async (type: string, part: string): Promise<string> => {
      const isIt = `ResourceType=='AWS::${type}' && contains(LogicalResourceId, '${part}')`;
      const query = `StackResourceSummaries[?${isIt}].PhysicalResourceId`;
      const names = (
        await aws('cloudformation', 'list-stack-resources', '--stack-name', STACK, '--query', query)
      ).split(/\s+/);
      const [name] = names;
      if (!name || names.length > 1)
        throw new Error(`the stack has not one ${type} with ${part}, but ${names.join(', ')}`);
      return name;
    },

    origin,

    /** Sends one request to the API, with its path as it is, and returns the response undecoded. */
    send: async (path: string, { method = 'GET', headers = {}, body = '' }: RequestOptions = {}): Promise<Answer> => {
      const address = await origin();
      const url = new URL(emulator ?? address);
      const request = url.protocol === 'https:' ? https.request : http.request;
      return new Promise((resolve, reject) => {
        const options = { path, method, headers: { host: new URL(address).host, ...headers }, timeout: REQUEST_MS };
        const sent = request(url, options, async (response) => {
          const chunks = await response.toArray().catch(() => []);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
        });
        sent.on('timeout', () => sent.destroy(new Error('no response in time')));
        sent.on('error', reject);
        sent.end(body);
      });
    },

    /** Waits until `check` is true. @throws Error after so many minutes */
    until: async (what: string, minutes: number, check: () => Promise<boolean>): Promise<void> => {
      for (const end = performance.now() + minutes * MINUTE_MS; !(await check()); ) {
        if (performance.now() > end) throw new Error(`not within ${minutes} minutes: ${what}`);
        await pause(POLL_MS);
      }
    },

    /** Deletes the temporary folder. */
    close: () => rm(folder, { recursive: true }),
  };
};

export type Target = Awaited<ReturnType<typeof openTarget>>;
