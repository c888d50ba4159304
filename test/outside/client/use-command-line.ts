import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { type HttpFaultProxy, startHttpFaultProxy } from '../../support/http-fault-proxy.ts';
import { PLANS_VARIABLE } from '../../support/plans.ts';
import { useFolder } from '../../support/use-folder.ts';
import { command } from './installed-package.ts';

/** A service on this machine behind a fault proxy, for the tests of a file. */
export const useService = () => {
  let service: LocalService;
  let proxy: HttpFaultProxy;
  beforeAll(async () => {
    Object.assign(process.env, PLANS_VARIABLE);
    service = await startLocalService({ port: 0, dynamodbPort: 0 });
    proxy = await startHttpFaultProxy(service.origin);
  });
  beforeEach(() => proxy.inject(() => undefined));
  afterAll(async () => {
    await proxy.close();
    await service.stop();
  });
  return { service: () => service, proxy: () => proxy };
};

/** The installed command, run in a new folder for each test against one service through a proxy. */
export const useCommandLine = () => {
  const { service, proxy } = useService();
  const file = useFolder('of each test');

  /** The environment of a customer with a key of this plan. */
  const accountOf = (plan: string): NodeJS.ProcessEnv => ({
    VEHICLE_VERIFICATION_BASE_URL: `${proxy().origin}/v1`,
    VEHICLE_VERIFICATION_API_KEY: service().keys.plans[plan],
  });

  /**
   * Starts the command. `ended` has its exit code, or the signal that ended it, and what it printed.
   * @param setUp what the shell does first: `ulimit -f 200`, for files of at most 200 kB, beyond which a write is short
   */
  const start = (args: readonly string[], account = accountOf('premium'), setUp = ':') => {
    const script = `${setUp}; exec "$0" "$@"`;
    const env = { PATH: process.env.PATH, ...account };
    const child = spawn('bash', ['--norc', '-c', script, command, ...args], { cwd: file(), env, stdio: 'pipe' });
    child.stdin.end();
    const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
      ([[code, signal], stdout, stderr]) => ({ code: (code ?? signal) as number | NodeJS.Signals, stdout, stderr }),
    );
    return { child, ended };
  };

  return {
    accountOf,
    file,
    folder: () => file(),
    proxy,
    service,
    start,
    /** Checks a file of this text, and reads the result. */
    checkText: async (input: string | Buffer, ...options: string[]) => {
      await writeFile(file('fleet.csv'), input);
      const { code, stdout, stderr } = await start(['check', 'fleet.csv', '--out', 'result.csv', ...options]).ended;
      return { code, stdout, stderr, result: await readFile(file('result.csv'), 'utf8').catch(() => undefined) };
    },
  };
};
