import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';
import { startHttpFaultProxy } from './http-fault-proxy.ts';
import { startCommandLine } from './run-command-line.ts';

type Plan = keyof LocalService['keys'];

/** The installed command, run in a new folder for each test against one service through a proxy. */
export const useCommandLine = () => {
  let service: LocalService;
  let proxy: Awaited<ReturnType<typeof startHttpFaultProxy>>;
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

  const accountOf = (plan: Plan) => ({ baseUrl: `${proxy.origin}/v1`, apiKey: service.keys[plan] });
  const file = (name: string) => join(folder, name);
  const start = (args: readonly string[], account: object, options = {}) =>
    startCommandLine(folder, args, account, options);
  const run = (args: readonly string[], plan: Plan = 'premium') => start(args, accountOf(plan)).ended;

  return {
    accountOf,
    file,
    folder: () => folder,
    proxy: () => proxy,
    serviceOrigin: () => service.origin,
    start,
    run,
    /** Checks a file of this text, and reads the result. */
    checkText: async (input: string | Buffer, ...options: string[]) => {
      await writeFile(file('fleet.csv'), input);
      const { code, stdout, stderr } = await run(['check', 'fleet.csv', '--out', 'result.csv', ...options]);
      return { code, stdout, stderr, result: await readFile(file('result.csv'), 'utf8').catch(() => undefined) };
    },
  };
};
