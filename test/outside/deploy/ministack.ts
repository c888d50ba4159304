import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** An AWS emulator on this machine (https://pypi.org/project/ministack). */
export interface Emulator {
  readonly endpoint: string;
  /** The certificate of an endpoint with TLS. */
  readonly certificate: string;
  readonly stop: () => Promise<void>;
}

const START_SECONDS = 60;
const POLL_MS = 250;

/**
 * Runs the program and ends its whole group, the functions that it runs included, when this process closes the pipe or
 * ends in whatever way.
 */
const WATCHED = '"$0" </dev/null >/dev/null 2>&1 & cat >/dev/null; kill -9 -$$';

/** A port of this machine that nobody listens on. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const isUp = (endpoint: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { get } = endpoint.startsWith('https') ? https : http;
    get(`${endpoint}/_ministack/health`, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });

const untilUp = async (endpoint: string): Promise<void> => {
  for (let waited = 0; waited < START_SECONDS * 1_000; waited += POLL_MS) {
    if (await isUp(endpoint)) return;
    await pause(POLL_MS);
  }
  throw new Error(`MiniStack did not answer within ${START_SECONDS} s`);
};

/**
 * Starts the emulator on a free port, reachable from this machine only. It runs functions with this process's Node and
 * leaves what it unpacks in `folder`. `programs` is the folder of its Python environment. With `checksPolicies` it
 * denies what no policy permits, except to the credentials of an operator.
 */
export const startMinistack = async (programs: string, folder: string, checksPolicies = false): Promise<Emulator> => {
  const port = await freePort();
  const endpoint = `${checksPolicies ? 'https' : 'http'}://127.0.0.1:${port}`;
  const certificate = join(folder, 'ministack-tls', 'server.crt');
  const shell = spawn('/bin/sh', ['-c', WATCHED, join(programs, 'ministack')], {
    // A group of its own, so that all of it can be ended at once.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME,
      TMPDIR: folder,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      IOT_MTLS_ENABLED: '0',
      // Policies of buckets and queues deny what comes without TLS.
      ...(checksPolicies && { AUTH: 'true', USE_SSL: '1' }),
    },
  });
  const ended = once(shell, 'close');
  const stop = async () => {
    shell.stdin.end();
    await ended;
  };
  try {
    await untilUp(endpoint);
    return { endpoint, certificate, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
