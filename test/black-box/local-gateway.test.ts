import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { type Gateway, startGateway } from '../../local/gateway/gateway.ts';
import { recordedExamples } from '../../openapi/examples.ts';
import { buildResponses } from '../../openapi/responses.ts';
import { byContract } from '../support/contract.ts';
import { environmentOf } from '../support/engine.ts';
import { runAdminCommand } from '../support/use-admin.ts';
import { useEngine } from '../support/use-engine.ts';
import { blackBoxTests } from './all-tests.ts';
import { type OpenHttpCaller, openHttpCaller } from './http-caller.ts';
import { prepareTarget } from './prepare-target.ts';

const engine = useEngine();
/** The route and status of each response. */
const seen = new Set<string>();
let gateway: Gateway;
let api: OpenHttpCaller;

beforeAll(async () => {
  Object.assign(process.env, environmentOf(engine));
  const now = new Date();
  // Standing still, so that no machine is too slow to send more requests in a window than the plan allows.
  gateway = await startGateway({
    port: 0,
    clock: () => now.getTime(),
    onResponse: ({ routeKey, status }) => void seen.add(`${routeKey} ${status}`),
  });
  const admin = async (...args: string[]) => {
    const result = await runAdminCommand([...args, '--dynamodb', engine.endpoint], engine.names, { now });
    expect(result).toEqual({ exitCode: 0, stdout: expect.any(String), stderr: expect.any(String) });
    return result.stdout;
  };
  api = openHttpCaller({ origin: gateway.origin, keys: await prepareTarget(admin, now) });
});
afterAll(async () => {
  api.close();
  await gateway.close();
});

describe('Through the local gateway', () => {
  blackBoxTests(() => ({ keys: api.keys, call: byContract(gateway.origin, api.call) }));

  /** What any endpoint can answer (test/api/access.test.ts). */
  const COMMON = ['401', '403', '429', '500'];
  it.each(Object.keys(endpoints) as EndpointId[])('meets each documented status of its own: %s', (id) => {
    const { method, paths } = endpoints[id];
    const documented = Object.keys(buildResponses(id, endpoints[id], recordedExamples(id)));
    const own = documented.filter((status) => !COMMON.includes(status));
    expect(own.filter((status) => !seen.has(`${method} ${paths[0]} ${status}`))).toEqual([]);
  });
});
