import { beforeEach, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import { recordFinishedLoad } from '../../core/finished-loads.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { aVehicle, NOON } from '../support/records.ts';
import { type TestApi, useApi } from '../support/use-api.ts';

const HOUR_MS = 3_600_000;
const ago = (hours: number) => new Date(NOON - hours * HOUR_MS).toISOString();

/** Acme and the supplier without a name have loaded in time, zeta too late, and late never; all of gone was removed. */
const loadAll = async ({ engine: { client, names } }: TestApi) => {
  const finish = (supplier: string, hours: number, more = {}) =>
    recordFinishedLoad(client, names.usage, [{ kind: 'vehicles', supplier }], {
      id: `load ${hours}`,
      at: ago(hours),
      ...more,
    });
  await finish('acme', 25);
  await finish('-', 167);
  await finish('zeta', 26);
  await finish('gone', 2);
  await finish('gone', 1, { isRemoval: true });
  await recordFinishedLoad(client, names.usage, [{ kind: 'mot' }], { id: 'load', at: ago(0) });
};

const api = useApi(
  async (started) => {
    await started.loadVehicles(aVehicle('INSURED'), aVehicle('NONE', []));
    await loadAll(started);
  },
  { environment: { SUPPLIERS: JSON.stringify({ acme: 26, '-': 168, zeta: 26, late: 26, gone: 26 }) } },
);

const SOURCES = { expected: 5, current: 2 };

const insurance = async (registration: string, key = api.key) =>
  (await api.call('GET', `/v1/vehicle/${registration}/insurance`, { key })).body as Record<string, unknown>;
const bulk = async (what: 'insurance' | 'compliance', registrations: readonly string[], more = {}, key = api.key) =>
  (await api.call('POST', `/v1/vehicle/bulk-${what}`, { key, json: { registrations, ...more } })).body as object;

let minutes = 0;
beforeEach(() => {
  // Each test reads them again, although an instance remembers them for a minute.
  minutes += 5;
  api.clock.now = NOON + minutes * 60_000;
});

describe('The sources of an answer', () => {
  it('are in "not insured" and "not found", and in no other answer', async () => {
    expect(await insurance('NONE')).toMatchObject({ insured: false, sources: SOURCES });
    expect(await insurance('UNKNOWN1')).toMatchObject({ code: 'VEHICLE_NOT_FOUND', sources: SOURCES });
    expect(await insurance('INSURED')).not.toHaveProperty('sources');
    const verdict = await api.call('GET', '/v1/compliance/UNKNOWN1', { key: api.key });
    expect(verdict.body).toMatchObject({ code: 'VEHICLE_NOT_FOUND', sources: SOURCES });
  });

  it('are once in a bulk answer with such an entry', async () => {
    const answer = await bulk('insurance', ['INSURED', 'NONE', 'UNKNOWN1']);
    expect(answer).toMatchObject({ results: [{}, { insured: false }, {}], sources: SOURCES });
    expect(JSON.stringify(answer).match(/"sources"/g)).toHaveLength(1);
    expect(await bulk('insurance', ['UNKNOWN1'])).toMatchObject({ sources: SOURCES });
    expect(await bulk('compliance', ['UNKNOWN1'])).toMatchObject({ sources: SOURCES });
    expect(await bulk('insurance', ['INSURED', 'bad!'])).not.toHaveProperty('sources');
    expect(await bulk('compliance', ['NONE'])).not.toHaveProperty('sources');
  });

  it('are absent with a date, for test keys, and for keys that see no policies', async () => {
    const key = await api.newKey({ scopes: ['vehicles:status', 'compliance:read'] });
    const testKey = await api.newKey({ environment: 'test' });
    const answers = [
      (await api.call('GET', '/v1/vehicle/NONE/insurance?date=2026-06-15', { key: api.key })).body,
      (await api.call('GET', '/v1/vehicle/UNKNOWN1/insurance?date=2026-06-15', { key: api.key })).body,
      await bulk('insurance', ['NONE'], { date: '2026-06-15' }),
      await insurance('NONE', key),
      await insurance('UNKNOWN1', key),
      await bulk('insurance', ['NONE', 'UNKNOWN1'], {}, key),
      await insurance('KR08NIL', testKey),
      await insurance('UNKNOWN1', testKey),
      await bulk('insurance', ['KR08NIL', 'UNKNOWN1'], {}, testKey),
    ];
    for (const answer of answers) expect(answer).not.toHaveProperty('sources');
  });

  it('are not read for a key that is not in force', async () => {
    const unknown = generateKey('live');
    expect(await insurance('NONE', unknown)).toMatchObject({ status: 401 });
    expect(api.requests()).toEqual(['GetItem keys']);
  });

  it.each(['deny', 'hang'] as const)(
    'are read once in a minute, beside the count of a request, and absent for that minute when they cannot be read: %s',
    async (fault) => {
      const ofUsage = forOperation('GetItem', forTable(api.engine.names.usage, always(fault)));
      const readsOfUsage = () => api.faults.calls.filter((call) => ofUsage(call) !== undefined).length;
      await insurance('NONE');
      api.clock.now += 59_000;
      await insurance('NONE');
      expect(readsOfUsage()).toBe(1);
      api.clock.now += 1_000;
      api.faults.inject(ofUsage);
      expect(await insurance('NONE')).toEqual(expect.not.objectContaining({ sources: expect.anything() }));
      const attempts = readsOfUsage();
      expect(await insurance('UNKNOWN1')).not.toHaveProperty('sources');
      expect(readsOfUsage()).toBe(attempts);
      api.faults.reset();
      api.clock.now += 60_000;
      expect(await insurance('NONE')).toMatchObject({ sources: SOURCES });
    },
  );
});
