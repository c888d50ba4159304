/** The insurance look-up through the local gateway, beside a bare `node:http` server that makes the same database calls. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { Run } from './report.ts';

const CONNECTIONS = 50;
const SECONDS = 8;
const WARM_UP_SECONDS = 2;

const SERVERS = [
  ['bare node:http, same calls', './bare-look-up-server.ts'],
  ['local gateway', './gateway-look-up-server.ts'],
] as const;

/** What a server process tells when it is ready. */
interface Ready {
  readonly origin: string;
  readonly key: string;
}

const measure = async (server: string) => {
  const child = fork(fileURLToPath(new URL(server, import.meta.url)));
  const [{ origin, key }] = (await once(child, 'message')) as [Ready];
  const load = {
    url: `${origin}/v1/vehicle/AB12CDE/insurance`,
    connections: CONNECTIONS,
    headers: { 'x-api-key': key },
  };
  await autocannon({ ...load, duration: WARM_UP_SECONDS });
  const result = await autocannon({ ...load, duration: SECONDS });
  child.kill();
  await once(child, 'exit');
  return result;
};

/** Requests per second and latency. */
const run: Run = async (progress) => {
  const rows: (string | number)[][] = [];
  for (const [index, [name, server]] of SERVERS.entries()) {
    progress(index, SERVERS.length, name);
    const { requests, latency, non2xx } = await measure(server);
    rows.push([name, Math.round(requests.average), latency.p50, latency.p99, non2xx]);
  }
  return {
    findings: [],
    blocks: [
      {
        text: `${CONNECTIONS} connections for ${SECONDS} s each; load, server and database share the machine's cores. The gateway is for developers and tests; what runs on AWS is measured above.`,
      },
      { table: { head: ['server', 'requests/s', 'p50 ms', 'p99 ms', 'not 2xx'], rows } },
    ],
  };
};
export default run;
