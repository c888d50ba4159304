/** Signed answers (docs/contract.md#signed-answers). Their content: test/api/lookups.test.ts and test/black-box. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { hashKey, keyIdOf, parseApiKey } from '../../core/access/api-key.ts';
import { publicJwk } from '../../core/public-key.ts';
import { rawSignature } from '../../core/signing.ts';
import { keyOfToday } from '../../functions/probe/probe-key.ts';
import { always, forOperation, onNthCall } from '../support/fault-choosers.ts';
import { aCompliance, aVehicle, NOON } from '../support/records.ts';
import { type Call, ISSUER, RESET, type Reply, rateLimitOf, useApi } from '../support/use-api.ts';

const KEYS = '/.well-known/jwks.json';
const INSURANCE = '/v1/vehicle/AB12CDE/insurance';
const JWT = 'application/jwt';
const HOUR = 3_600_000;

const api = useApi(
  async ({ loadVehicles, loadCompliance }) => {
    await loadVehicles(aVehicle('AB12CDE'), aVehicle('NOTAXED'));
    await loadCompliance(aCompliance('AB12CDE'));
  },
  { signsAnswers: true },
);

const get = (path: string, accept?: string, call: Call = {}) =>
  api.call('GET', path, { key: api.key, ...call, headers: { ...call.headers, ...(accept && { accept }) } });

const typeOf = ({ headers }: Reply) => headers.get('content-type');

let hours = 0;
/** Ends the hour for which an instance keeps the published keys in memory. */
const endHour = (): void => {
  hours += 1;
  api.clock.now = NOON + hours * HOUR;
};

const publishedKeys = async () => (await api.call('GET', KEYS)).body as unknown as JSONWebKeySet;

/** The claims, once the signature holds by a published key. */
const verified = async ({ text }: Reply) => {
  const expected = { issuer: ISSUER, typ: 'vehicle-answer+jwt', algorithms: ['ES256'] };
  return (await jwtVerify(text, createLocalJWKSet(await publishedKeys()), expected)).payload;
};

describe('A signed answer', () => {
  it.each([
    [200, 'GET', '/v1/vehicle/AB12CDE/insurance?date=2026-06-14'],
    [200, 'GET', '/v1/compliance/AB12CDE'],
    [200, 'POST', '/v1/vehicle/bulk-insurance', { registrations: ['AB12 CDE', 'ZZ99ZZZ', '?'] }],
    [200, 'POST', '/v1/vehicle/bulk-compliance', { registrations: ['AB12 CDE', 'NOTAXED'] }],
    // A vehicle that is unknown, and one without a compliance record.
    [404, 'GET', '/v1/vehicle/AB1OCDE/insurance'],
    [404, 'GET', '/v1/compliance/NOTAXED'],
  ])('holds what the unsigned one says, to whom, when and to which request: %i %s %s', async (...lookup) => {
    const [status, method, address, json] = lookup;
    const [path, query = ''] = address.split('?');
    const call = { key: api.key, ...(json && { json }) };
    const unsigned = await api.call(method, address, call);
    const signed = await api.call(method, address, { ...call, headers: { accept: JWT } });
    expect(signed.status).toBe(status);
    expect(typeOf(signed)).toEqual(JWT);
    const jti = signed.headers.get('x-request-id');
    expect(await verified(signed)).toEqual({
      iss: ISSUER,
      aud: keyIdOf(hashKey(api.key), 'live'),
      iat: NOON / 1_000,
      jti,
      request: { method, path, query },
      status,
      answer: { ...unsigned.body, ...(status === 404 && { requestId: jti }) },
    });
    expect(rateLimitOf(signed)).toEqual(['6000', String(Number(rateLimitOf(unsigned)[1]) - 1), RESET]);
  });

  it('of a test key and of the probe says that it is of the sandbox', async () => {
    for (const key of [await api.newKey({ environment: 'test' }), (await keyOfToday(new Date(NOON))).key]) {
      expect(await verified(await get(INSURANCE, JWT, { key }))).toMatchObject({
        aud: parseApiKey(key)?.id,
        sandbox: true,
      });
    }
  });

  it.each([
    [JWT, true],
    ['Application/JWT ; Q=0.001', true],
    [`text/html, ${JWT};q=0.5, application/json;q=0.5`, true],
    [`${JWT};q=nonsense, */*`, false],
    [`${JWT};q=1.5`, false],
    [`${JWT};q`, false],
    [`${JWT};q=0.5, application/json;q=2`, true],
    [`text/html;title="a, ${JWT}"`, false],
    [`text/html;title="\\", b", ${JWT}`, true],
    [`${JWT};title=";q=0"`, true],
    [`${JWT};q=0`, false],
    [`${JWT};q=0, ${JWT}`, true],
    [`${JWT};q=0.5, ${JWT}, application/json;q=0.8`, true],
    [`${JWT};q=0.4, application/json;q=0.5`, false],
    [`${JWT};q=0.4, */*`, false],
    [`${JWT};q=0.4, application/*;q=0.1, */*`, true],
    ['application/*', false],
    ['*/*', false],
    ['application/jwt+x', false],
    [undefined, false],
  ])('is given for Accept: %s (%s)', async (accept, isSigned) => {
    expect(typeOf(await get(INSURANCE, accept))).toBe(isSigned ? JWT : 'application/json');
  });

  it('is no other error, and no answer of another endpoint', async () => {
    const spent = await api.newKey({ plan: 'free' }, 60);
    const test = await api.newKey({ environment: 'test' });
    const replies = [
      await get(INSURANCE, JWT, { key: undefined }),
      await get(INSURANCE, JWT, { key: spent }),
      await get(INSURANCE, JWT, { key: await api.newKey({ scopes: [] }) }),
      await get(`${INSURANCE}?date=1`, JWT),
      await get('/v1/compliance/ER19ERR', JWT, { key: test }),
      await get('/v1/unknown', JWT),
    ];
    expect(replies.map((reply) => ({ status: reply.status, type: typeOf(reply) }))).toEqual(
      [401, 429, 403, 400, 500, 404].map((status) => ({ status, type: 'application/problem+json' })),
    );
    expect(typeOf(await get('/v1/usage', JWT))).toBe('application/json');
  });
});

describe('The published keys', () => {
  const keysOf = async (settings: Record<string, string>) => {
    Object.assign(process.env, settings);
    endHour();
    return api.call('GET', KEYS);
  };
  const RETIRED = publicJwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }));
  afterEach(() => {
    process.env.SIGNING_KEYS = 'local';
    delete process.env.RETIRED_SIGNING_KEYS;
  });

  it('are all those of the setting, of which the first signs', async () => {
    process.env.SIGNING_KEYS = 'new,old';
    await get(INSURANCE, JWT);
    endHour();
    await publishedKeys();
    const asked = api.kmsFaults.calls.map(({ operation, body }) => `${operation} ${JSON.parse(body).KeyId}`);
    expect(asked).toEqual(['GetPublicKey new', 'Sign new', 'GetPublicKey old']);
  });

  it('need no API key, may be cached, and are read from KMS once', async () => {
    await publishedKeys();
    api.kmsFaults.reset();
    const { status, headers, body } = await api.call('GET', KEYS, { key: await api.newKey({ environment: 'test' }) });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    expect([...headers.keys()].filter((name) => /^x-(rate|sandbox)/.test(name))).toEqual([]);
    const base64url = expect.stringMatching(/^[\w-]{43}$/);
    const key = { kty: 'EC', crv: 'P-256', x: base64url, y: base64url, kid: base64url, use: 'sig', alg: 'ES256' };
    expect(body).toEqual({ keys: [key] });
    expect(api.kmsFaults.calls).toEqual([]);
  });

  it.each(['disabled', 'pendingDeletion'] as const)(
    'lack a key that is %s, and have the retired ones of the setting',
    async (state) => {
      const isFirst = ({ body }: { readonly body: string }) => body.includes(`"${state}"`);
      api.kmsFaults.inject((call) => (isFirst(call) ? state : undefined));
      const settings = { SIGNING_KEYS: `${state},local`, RETIRED_SIGNING_KEYS: JSON.stringify([RETIRED]) };
      const { status, body } = await keysOf(settings);
      const [local, ...others] = (body as unknown as JSONWebKeySet).keys;
      expect(status).toBe(200);
      expect(local?.kid).not.toBe(RETIRED.kid);
      expect(others).toEqual([RETIRED]);
      // KMS is not asked again and again for what it does not give.
      await api.call('GET', KEYS);
      expect(api.kmsFaults.calls.filter(isFirst)).toHaveLength(1);
    },
  );

  it('name a key once that KMS still has, too', async () => {
    const [local] = (await publishedKeys()).keys;
    const { body } = await keysOf({ RETIRED_SIGNING_KEYS: JSON.stringify([local]) });
    expect(body).toEqual({ keys: [local] });
  });

  it('are 500 after every other error of KMS, so that nobody keeps an incomplete set', async () => {
    api.kmsFaults.inject(always('deny'));
    process.env.SIGNING_KEYS = 'local,denied';
    endHour();
    // The document describes no errors of this path.
    const failed = await fetch(api.origin + KEYS);
    expect(failed.status).toBe(500);
    expect(failed.headers.get('cache-control')).toBe('no-store');
    api.kmsFaults.reset();
    expect((await api.call('GET', KEYS)).status).toBe(200);
  });

  it('have no other method', async () => {
    const reply = await api.call('POST', KEYS, { key: api.key });
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET');
  });
});

describe('When KMS fails', () => {
  it.each(['throttle', 'deny', 'error', 'hang', 'resetBefore'] as const)(
    'with %s: 500 without an answer',
    async (fault) => {
      api.kmsFaults.inject(forOperation('Sign', always(fault)));
      const reply = await get(INSURANCE, JWT);
      expect(reply.status).toBe(500);
      expect(typeOf(reply)).toBe('application/problem+json');
      expect(reply.body).toMatchObject({ code: 'INTERNAL_ERROR' });
      expect(reply.headers.get('retry-after')).toBe('1');
      expect(rateLimitOf(reply)[0]).toBe('6000');
    },
  );

  it('once, the answer is signed by a second attempt', async () => {
    api.kmsFaults.inject(forOperation('Sign', onNthCall(1, 'error')));
    expect((await verified(await get(INSURANCE, JWT))).status).toBe(200);
  });

  it('unsigned answers are given as before', async () => {
    api.kmsFaults.inject(always('deny'));
    expect((await get(INSURANCE)).status).toBe(200);
    expect(api.kmsFaults.calls).toEqual([]);
  });
});

describe('Where the service signs no answers, to ask for one', () => {
  beforeAll(() => void delete process.env.SIGNED_ANSWERS_ISSUER);
  afterAll(() => void Object.assign(process.env, { SIGNED_ANSWERS_ISSUER: ISSUER }));

  it('is 406 after admission, before the input is read', async () => {
    const bulk = { key: api.key, raw: '{', headers: { accept: JWT } };
    for (const reply of [
      await get(`${INSURANCE}?date=1`, JWT),
      await api.call('POST', '/v1/vehicle/bulk-insurance', bulk),
    ]) {
      expect(reply.body).toMatchObject({ status: 406, code: 'NOT_ACCEPTABLE' });
      expect(rateLimitOf(reply)[0]).toBe('6000');
    }
    const unscoped = await api.newKey({ scopes: [] });
    expect((await get(INSURANCE, JWT, { key: undefined })).status).toBe(401);
    expect((await get(INSURANCE, JWT, { key: unscoped })).status).toBe(403);
  });

  it('is ignored by other endpoints, and no keys are published', async () => {
    expect((await get('/v1/usage', JWT)).status).toBe(200);
    expect((await api.call('GET', KEYS)).status).toBe(401);
    expect((await get(KEYS)).status).toBe(404);
  });
});

it('A signature has 64 bytes, whatever the length of its integers in DER', () => {
  const [long, short] = ['ff'.repeat(32), '01'];
  const der = Buffer.from(`3026022100${long}0201${short}`, 'hex');
  expect(rawSignature(der).toString('hex')).toBe(long + short.padStart(64, '0'));
});
