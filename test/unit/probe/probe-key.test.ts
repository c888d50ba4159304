import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportedItems } from '../../../admin/export-commands.ts';
import { generateKey, hashKey, keyIdOf } from '../../../core/access/api-key.ts';
import { SCOPES } from '../../../core/access/scopes.ts';
import type { ContentItem } from '../../../core/content/item.ts';
import { prefixedTableNames, tables } from '../../../core/tables.ts';
import { keyOfToday } from '../../../functions/probe/probe-key.ts';
import { createTables } from '../../../local/engine/create-tables.ts';
import { catchOutput } from '../../support/caught-output.ts';
import { NOON } from '../../support/clock.ts';
import { storeItems } from '../../support/engine.ts';
import { aVehicle } from '../../support/records.ts';
import { failure, runAdminCommand } from '../../support/use-admin.ts';
import { type Call, useApi } from '../../support/use-api.ts';

// Read when the functions are loaded, with the first request to each.
process.env.AWS_LAMBDA_INITIALIZATION_TYPE = 'on-demand';
process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

const CONTENT = '/v1/api/content';
const DAY_MS = 86_400_000;
const now = new Date(NOON);

const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('LV01REA')), { logLevel: 'INFO' });
let testKey: string;
beforeAll(async () => {
  testKey = await api.newKey({ environment: 'test' });
});
let written: readonly string[];
beforeEach(() => {
  written = catchOutput();
});
afterEach(() => void jest.restoreAllMocks());

const probeKey = async () => (await keyOfToday(now)).key;
const probeRecords = async () => {
  const { Items = [] } = await api.engine.client.send(new ScanCommand({ TableName: api.engine.names.keys }));
  return Items.filter(({ id }) => String(id).startsWith('probe-'));
};

/** What is logged meanwhile. */
const logOf = async (work: () => Promise<unknown>) => {
  const before = written.length;
  await work();
  return written.slice(before).map((line) => JSON.parse(line));
};

it('The first request of an instance is no cold start in the metrics if it is the probe’s, and the next one neither', async () => {
  const ask = (key: string) => logOf(() => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key }));
  await ask(await probeKey());
  const [line] = await ask(api.key);
  expect(line).toMatchObject({ Requests: 1 });
  expect(line).not.toHaveProperty('ColdStart');
});

describe('A key of the probe', () => {
  it('is one for each London day, valid on that day and the next, and then removed by DynamoDB', async () => {
    // 25 October in London, which has 25 hours.
    const night = Date.parse('2026-10-24T23:30:00Z');
    const { id, key } = await keyOfToday(new Date(night));
    expect((await keyOfToday(new Date(night + DAY_MS))).id).toBe(id);
    expect((await probeRecords()).filter(({ expires }) => expires === '2026-10-26')).toEqual([
      {
        id,
        hash: hashKey(key),
        name: 'Probe',
        plan: 'probe',
        scopes: SCOPES,
        createdAt: '2026-10-24T23:30:00.000Z',
        expires: '2026-10-26',
        [tables.keys.timeToLiveAttribute]: night / 1_000 + (3 * DAY_MS) / 1_000,
      },
    ]);
    expect((await keyOfToday(new Date(night + 2 * DAY_MS))).id).not.toBe(id);
  });
});

describe('A request with a key of the probe', () => {
  const as =
    (key: string) =>
    (method: string, path: string, options: Call = {}) =>
      api.call(method, path, { key, ...options });
  const item = (slug: string) => ({ title: 'Title', content: 'Text', domain: 'probe.example', slug });
  const create = async (key: string, slug: string, headers: Record<string, string> = {}) => {
    const { status, body } = await as(key)('POST', CONTENT, { json: item(slug), headers });
    expect(status).toBe(201);
    return body as ContentItem;
  };

  it('can neither read, change, list nor delete content of live and test keys, and these not its own', async () => {
    const keys = [api.key, testKey, await probeKey()];
    const items = await Promise.all(keys.map((key) => create(key, 'same')));
    for (const [owner, { id }] of items.entries()) {
      for (const [at, key] of keys.entries()) {
        for (const query of ['limit=100', 'domain=probe.example&slug=same']) {
          const { body } = await as(key)('GET', `${CONTENT}?${query}`);
          expect(body).toMatchObject({ items: [items[at]], total: 1 });
        }
        if (at === owner) continue;
        const answers = [
          await as(key)('GET', `${CONTENT}/${id}`),
          await as(key)('PUT', `${CONTENT}/${id}`, { json: { title: 'Other' } }),
          await as(key)('DELETE', `${CONTENT}/${id}`),
        ];
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      }
    }
    const { client, names } = api.engine;
    const exported = await Array.fromAsync(exportedItems(client, names.content));
    expect(exported).toEqual([items[0]]);
  });

  it('sees nothing more and repeats nobody’s creation with a forged record, which is all that its role can write', async () => {
    const headers = { 'Idempotency-Key': 'the same' };
    const live = await create(api.key, 'repeated', headers);
    const key = generateKey('probe');
    const hash = hashKey(key);
    const liveId = keyIdOf(hashKey(api.key), 'live');
    const record = { id: keyIdOf(hash, 'probe'), hash, name: 'Forged', plan: 'premium', scopes: SCOPES, createdAt: '' };
    const claims = { environment: 'live', firstKeyId: liveId, follows: liveId, domains: ['probe.example'] };
    await storeItems(api.engine.client, api.engine.names.keys, [{ ...record, ...claims }]);
    expect((await create(key, 'repeated', headers)).id).not.toBe(live.id);
    expect((await as(key)('GET', `${CONTENT}/${live.id}`)).status).toBe(404);
    expect((await as(key)('GET', '/v1/vehicle/LV01REA/insurance')).status).toBe(404);
  });

  it('is logged as the probe’s and in no metric; a forged one is counted like every 401', async () => {
    const linesWith = (key: string) => logOf(() => as(key)('GET', '/v1/vehicle/AB12CDE/insurance'));
    const lines = await linesWith(await probeKey());
    expect(lines).toMatchObject([{ endpoint: 'vehicle-insurance', status: 200, probe: true }]);
    expect(lines.filter((line) => '_aws' in line)).toEqual([]);
    const [forged, ...more] = await linesWith(generateKey('probe'));
    expect({ forged, more }).toMatchObject({
      forged: { status: 401, code: 'UNAUTHORIZED', Requests: 1, _aws: {} },
      more: [],
    });
    expect(forged).not.toHaveProperty('probe');
  });
});

describe('The operators’ commands', () => {
  const run = (...args: string[]) => runAdminCommand([...args, '--dynamodb', api.engine.endpoint], api.engine.names);
  const liveId = () => keyIdOf(hashKey(api.key), 'live');

  it('neither list, accept nor make a key of the probe', async () => {
    const { id } = await keyOfToday(now);
    const before = await probeRecords();
    const { exitCode, stdout } = await run('keys', 'list', '--json');
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain(id);
    expect(stdout).toContain(liveId());
    for (const [command = '', ...options] of [['revoke'], ['rotate'], ['usage'], ['update', '--plan', 'free']]) {
      expect(await run('keys', command, id, ...options)).toEqual(failure("a key's id has 20 hexadecimal digits"));
    }
    const created = await run('keys', 'create', '--name', 'A', '--plan', 'free', '--env', 'probe');
    expect(created).toEqual(failure('Allowed choices are live, test'));
    expect(await probeRecords()).toEqual(before);
  });

  it('do not restore the keys of the probe', async () => {
    const { client, names } = api.engine;
    await keyOfToday(now);
    const { Items = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
    const restored = prefixedTableNames(`${names.keys}-restored-`);
    await createTables(client, restored);
    await storeItems(client, restored.keys, Items);
    const deleted = [...(await probeRecords()).map(({ id }) => id), liveId()];
    for (const id of deleted) await client.send(new DeleteCommand({ TableName: names.keys, Key: { id } }));
    const { exitCode, stdout } = await run('keys', 'restore', '--from', restored.keys);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('probe-');
    expect(stdout).toMatch(new RegExp(`^${liveId()} .*restored$`, 'm'));
    expect(await probeRecords()).toEqual([]);
  });
});
