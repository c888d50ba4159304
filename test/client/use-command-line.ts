import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';
import { type HttpFaultProxy, startHttpFaultProxy } from './http-fault-proxy.ts';
import { command } from './installed-package.ts';

interface Account {
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

interface Options {
  readonly env?: NodeJS.ProcessEnv;
  /** The largest file that it may write, in units of 1,024 bytes; a write beyond it is short. */
  readonly maxFileSize?: number | undefined;
}

/** The installed command, run in a new folder for each test against one service through a proxy. */
export const useCommandLine = () => {
  let service: LocalService;
  let proxy: HttpFaultProxy;
  let folder: string;
  beforeAll(async () => {
    service = await startLocalService({ port: 0, dynamodbPort: 0 });
    proxy = await startHttpFaultProxy(service.origin);
  });
  afterAll(async () => {
    await proxy.close();
    await service.stop();
  });
  beforeEach(async () => {
    proxy.inject(() => undefined);
    folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const accountOf = (plan: keyof LocalService['keys']) => ({
    ...{ baseUrl: `${proxy.origin}/v1`, apiKey: service.keys[plan] },
  });
  const file = (name: string) => join(folder, name);

  /** Starts the command. `ended` has its exit code, or the signal that ended it, and what it printed. */
  const start = (
    args: readonly string[],
    { baseUrl, apiKey }: Account = accountOf('premium'),
    { env = {}, maxFileSize }: Options = {},
  ) => {
    const account = {
      ...(baseUrl !== undefined && { VEHICLE_VERIFICATION_BASE_URL: baseUrl }),
      ...(apiKey !== undefined && { VEHICLE_VERIFICATION_API_KEY: apiKey }),
    };
    const limited = ['bash', '--norc', '-c', `ulimit -f ${maxFileSize}; exec "$0" "$@"`, command];
    const [program = '', ...before] = maxFileSize === undefined ? [command] : limited;
    const child = spawn(program, [...before, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...account, ...env },
      stdio: 'pipe',
    });
    child.stdin.end();
    const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
      ([[code, signal], stdout, stderr]) => ({ code: (code ?? signal) as number | NodeJS.Signals, stdout, stderr }),
    );
    return { child, ended };
  };

  return {
    accountOf,
    file,
    folder: () => folder,
    proxy: () => proxy,
    service: () => service,
    start,
    /** Checks a file of this text, and reads the result. */
    checkText: async (input: string | Buffer, ...options: string[]) => {
      await writeFile(file('fleet.csv'), input);
      const { code, stdout, stderr } = await start(['check', 'fleet.csv', '--out', 'result.csv', ...options]).ended;
      return { code, stdout, stderr, result: await readFile(file('result.csv'), 'utf8').catch(() => undefined) };
    },
  };
};
