import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { outcomeOf } from '../../support/program.ts';
import { PLANS_VARIABLE } from '../../support/records.ts';
import { useFolder } from '../../support/use-folder.ts';
import { type HttpFaultProxy, startHttpFaultProxy } from './http-fault-proxy.ts';
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
    const ended = outcomeOf(child).then(({ exitCode, signal, ...printed }) => ({
      code: exitCode ?? signal,
      ...printed,
    }));
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

/** The usage of a key of the plan premium. */
export const USAGE = {
  key: { name: 'Acme', environment: 'live', scopes: ['vehicles:read'], plan: 'premium' },
  limits: { registrationsPerBulk: 1_000, requestsPerWindow: 6_000, windowSeconds: 60 },
  window: { used: 1, remaining: 5_999, resetsAt: '2026-11-22T12:01:00Z' },
  hours: [],
};

const POLICY = { number: 'POL-1', insurer: 'Acme', type: 'Full', validFrom: '2029-06-01', validTo: '2030-06-10' };

interface StubOptions {
  /** An entry without its registration. `date` is absent for today. */
  readonly entryOf?: (registration: string, date: string | undefined) => object;
  /** Of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A service that knows every vehicle. `changes` replace the usage in part, or by a problem.
 */
export const startStubService = async (changes: object = {}, status = 200, options: StubOptions = {}) => {
  const { entryOf = () => ({ insured: true, policy: POLICY }), headers } = options;
  const usage = { ...(status === 200 && USAGE), ...changes };
  const server = createServer(async (request, response) => {
    const send = (code: number, type: string, text: string) =>
      void response.writeHead(code, { 'Content-Type': type, ...headers }).end(text);
    const type = status === 200 ? 'application/json' : 'application/problem+json';
    if (request.method === 'GET') return send(status, type, JSON.stringify(usage));
    const { registrations, date } = (await json(request)) as { registrations: string[]; date?: string };
    const answer = {
      results: registrations.map((registration) => ({ registration, ...entryOf(registration, date) })),
      ...(date && { asOf: date }),
    };
    return send(200, 'application/json', JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    account: {
      VEHICLE_VERIFICATION_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      VEHICLE_VERIFICATION_API_KEY: 'vvc_test_stub',
    },
    close: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
};
