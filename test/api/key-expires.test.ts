import { describe, expect, it } from '@jest/globals';
import { storeItems } from '../support/engine.ts';
import { aCounter, aVehicle } from '../support/records.ts';
import { useApi } from '../support/use-api.ts';

const LOOKUP = '/v1/vehicle/AB12CDE/insurance';

const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

describe('X-Key-Expires', () => {
  it.each([
    ['2026-06-15', '2026-06-15'],
    ['2026-06-29', '2026-06-29'],
    ['2026-06-30', null],
    [undefined, null],
  ])('of a key whose last day is %s is %s on 15 June', async (expires, header) => {
    const key = await api.newKey(expires === undefined ? {} : { expires });
    expect((await api.call('GET', LOOKUP, { key })).headers.get('x-key-expires')).toBe(header);
  });

  it('comes with errors too, by the day in London, and never with a 401', async () => {
    const key = await api.newKey({ expires: '2026-06-30', plan: 'free', scopes: ['vehicles:read'] });
    api.clock.now = Date.parse('2026-06-15T23:00:00Z');
    await storeItems(api.engine.client, api.engine.names.usage, [aCounter(key, 57, api.clock.now)]);
    const sent = async (path: string) => {
      const { status, headers } = await api.call('GET', path, { key });
      return { path, status, expires: headers.get('x-key-expires') };
    };
    const day = '2026-06-30';
    expect(await sent('/v1/vehicle/ZZ99ZZZ/insurance')).toMatchObject({ status: 404, expires: day });
    expect(await sent('/v1/api/content')).toMatchObject({ status: 403, expires: day });
    expect(await sent('/v1/vehicle/-/insurance')).toMatchObject({ status: 400, expires: day });
    expect(await sent(LOOKUP)).toMatchObject({ status: 429, expires: day });
    api.clock.now = Date.parse('2026-06-30T23:00:00Z');
    expect(await sent(LOOKUP)).toMatchObject({ status: 401, expires: null });
  });
});
