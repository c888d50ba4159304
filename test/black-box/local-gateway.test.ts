import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { recordedExamples } from '../../openapi/examples.ts';
import { buildResponses } from '../../openapi/responses.ts';
import { byContract } from '../support/contract.ts';
import { NOON } from '../support/records.ts';
import { runAdminCommand } from '../support/use-admin.ts';
import { useApi } from '../support/use-api.ts';
import { blackBoxTests } from './all-tests.ts';
import { type OpenHttpCaller, openHttpCaller } from './http-caller.ts';
import { prepareTarget } from './prepare-target.ts';

/** The route and status of each response. */
const seen = new Set<string>();
// Its clock stands still, so that no machine is too slow to send more requests in a window than the plan allows.
const api = useApi(undefined, { onResponse: ({ routeKey, status }) => void seen.add(`${routeKey} ${status}`) });
let caller: OpenHttpCaller;

beforeAll(async () => {
  const now = new Date(NOON);
  const admin = async (...args: string[]) => {
    const result = await runAdminCommand([...args, '--dynamodb', api.engine.endpoint], api.engine.names, { now });
    expect(result).toEqual({ exitCode: 0, stdout: expect.any(String), stderr: expect.any(String) });
    return result.stdout;
  };
  caller = openHttpCaller({ origin: api.origin, keys: await prepareTarget(admin, now) });
});
afterAll(() => caller.close());

describe('Through the local gateway', () => {
  blackBoxTests(() => ({ keys: caller.keys, call: byContract(api.origin, caller.call) }));

  /** What any endpoint can answer (test/api/access.test.ts). */
  const COMMON = ['401', '403', '429', '500'];
  it.each(Object.keys(endpoints) as EndpointId[])('meets each documented status of its own: %s', (id) => {
    const { method, paths } = endpoints[id];
    const documented = Object.keys(buildResponses(id, endpoints[id], recordedExamples(id)));
    const own = documented.filter((status) => !COMMON.includes(status));
    expect(own.filter((status) => !seen.has(`${method} ${paths[0]} ${status}`))).toEqual([]);
  });
});
