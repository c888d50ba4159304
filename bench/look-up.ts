/**
 * Requests per second and latency of the insurance look-up through the local gateway, beside a bare `node:http` server
 * that makes the same database calls: what the product costs on top of its database. Reports; asserts nothing.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import Table from 'cli-table3';

const CONNECTIONS = 50;
const SECONDS = 8;
const WARM_UP_SECONDS = 2;

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

const table = new Table({ head: ['server', 'requests/s', 'p50 ms', 'p99 ms', 'not 2xx'] });
for (const [name, server] of [
  ['bare node:http, same calls', './bare-look-up-server.ts'],
  ['local gateway', './gateway-look-up-server.ts'],
] as const) {
  const { requests, latency, non2xx } = await measure(server);
  table.push([name, Math.round(requests.average), latency.p50, latency.p99, non2xx]);
}
process.stdout.write(`Insurance look-up, ${CONNECTIONS} connections, ${SECONDS} s each\n${table.toString()}\n`);
