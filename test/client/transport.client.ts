import { describe, expect, it } from '@jest/globals';
import { library } from './installed-package.ts';
import { virtualTime } from './virtual-time.ts';

const { ApiProblem, ConnectionError, VehicleVerification } = library;
const KEY = `vvc_live_${'A'.repeat(36)}`;
const BODY = { registration: 'AB12CDE', insured: true };

type Reply = Response | Error;
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
const problem = (status: number, code: string, headers: Record<string, string> = {}, members: object = {}) =>
  json(
    status,
    { title: 'Title', status, detail: 'What to do.', code, requestId: 'r-1', ...members },
    { 'Content-Type': 'application/problem+json', ...headers },
  );
const reset = () => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });

/** A client whose requests get these replies; the last one repeats. */
const clientWith = (replies: readonly (() => Reply)[], options: object = {}) => {
  const time = virtualTime();
  const sent: Request[] = [];
  const send: typeof fetch = async (input, init) => {
    sent.push(new Request(input, init));
    init?.signal?.throwIfAborted();
    const reply = replies[Math.min(sent.length, replies.length) - 1]?.() ?? new Error('no reply');
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const client = new VehicleVerification({
    baseUrl: 'https://api.example.com/v1/',
    apiKey: KEY,
    fetch: send,
    timing: time.timing,
    ...options,
  });
  return { client, sent, ...time };
};
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('A request', () => {
  it('is sent below the base address with the key, and encoded', async () => {
    const { client, sent } = clientWith([() => json(200, BODY)]);
    expect(await client.insurance('ÄB 1/2', { date: '2026-01-31' })).toEqual(BODY);
    expect(sent.map(({ method, url }) => [method, url])).toEqual([
      ['GET', 'https://api.example.com/v1/vehicle/%C3%84B%201%2F2/insurance?date=2026-01-31'],
    ]);
    expect(sent[0]?.headers.get('Authorization')).toBe(`Bearer ${KEY}`);
  });

  it('follows no redirect, which could take the key elsewhere', async () => {
    const { client, sent } = clientWith([
      () => new Response(null, { status: 302, headers: { Location: 'https://x.example' } }),
    ]);
    expect(await failureOf(client.usage())).toMatchObject({ name: 'ApiProblem', status: 302, code: undefined });
    expect([sent.length, sent[0]?.redirect]).toEqual([1, 'manual']);
  });

  it.each(['', ' \n', 'vvc_live_ab\ncd', 'vvc_live_ü'])('is rejected with an invalid key: %j', (apiKey) => {
    const make = () => new VehicleVerification({ baseUrl: 'https://api.example.com/v1', apiKey });
    expect(make).toThrow(TypeError);
    expect(make).toThrow('The API key is empty or contains invalid characters.');
  });
});

describe('A problem', () => {
  it('has every member of the response, even a code that is not known yet', async () => {
    const errors = [{ parameter: 'date', detail: 'must be a day' }];
    const { client, sent } = clientWith([() => problem(418, 'BRAND_NEW', { 'Retry-After': '7' }, { errors })]);
    const error = await failureOf(client.insurance('AB12CDE'));
    expect(error).toBeInstanceOf(ApiProblem);
    expect(error).toMatchObject({
      message: '418 BRAND_NEW: What to do. (request r-1)',
      ...{
        status: 418,
        code: 'BRAND_NEW',
        title: 'Title',
        detail: 'What to do.',
        requestId: 'r-1',
        retryAfter: 7,
        errors,
      },
    });
    expect(sent).toHaveLength(1);
  });

  it('becomes undefined only for an unknown vehicle', async () => {
    expect(await clientWith([() => problem(404, 'VEHICLE_NOT_FOUND')]).client.insurance('ZZ99ZZZ')).toBeUndefined();
    expect(await clientWith([() => problem(404, 'VEHICLE_NOT_FOUND')]).client.compliance('ZZ99ZZZ')).toBeUndefined();
    const others = [() => problem(404, 'COMPLIANCE_NOT_FOUND'), () => new Response('<html>', { status: 404 })];
    for (const other of others) {
      expect(await failureOf(clientWith([other]).client.compliance('VE24UNK'))).toMatchObject({ status: 404 });
    }
  });

  it.each<[string, () => Response, object]>([
    [
      'API Gateway: 413 without repetition',
      () => json(413, { message: 'Request Too Long' }, { 'Apigw-Requestid': 'gw-1' }),
      { status: 413, code: undefined, detail: 'Request Too Long', requestId: 'gw-1', errors: [] },
    ],
    [
      'a proxy: HTML',
      () => new Response('<html><h1>Forbidden</h1>', { status: 403, headers: { 'Content-Type': 'text/html' } }),
      { status: 403, code: undefined, detail: 'The response has the status 403 and no explanation.' },
    ],
  ])('of %s', async (_title, reply, expected) => {
    const { client, sent } = clientWith([reply]);
    expect(await failureOf(client.verify(['AB12CDE']))).toMatchObject({ name: 'ApiProblem', ...expected });
    expect(sent).toHaveLength(1);
  });
});

describe('A malformed problem', () => {
  it('has none of the members that are of another type', async () => {
    const members = { title: 1, detail: {}, code: ['X'], requestId: 7, errors: [null, { detail: 1 }, { detail: 'x' }] };
    const { client } = clientWith([() => problem(400, 'X', {}, members)]);
    expect(await failureOf(client.usage())).toMatchObject({
      message: '400: The response has the status 400 and no explanation.',
      ...{ status: 400, title: '', code: undefined, requestId: undefined, errors: [] },
    });
    const text = clientWith([() => problem(400, 'X', {}, { errors: 'x' })]);
    expect(await failureOf(text.client.usage())).toMatchObject({ code: 'X', errors: [] });
  });
});

describe('A transient error', () => {
  it('is retried after Retry-After, or after a doubling backoff with full jitter', async () => {
    const { client, waits } = clientWith([
      () => problem(429, 'RATE_LIMITED', { 'Retry-After': '3' }),
      () => json(429, { message: 'Too Many Requests' }),
      () => json(503, { message: 'Service Unavailable' }),
      reset,
      () => json(200, BODY),
    ]);
    expect(await client.insurance('AB12CDE')).toEqual(BODY);
    expect(waits).toEqual([3_000 + 250, 500, 1_000, 2_000]);
  });

  it('is retried when a response is incomplete or is not JSON', async () => {
    const texts = ['{"registration": "AB1', '', '<html>Sign in</html>', JSON.stringify(BODY)];
    const { client, sent } = clientWith(texts.map((text) => () => new Response(text, { status: 200 })));
    expect(await client.insurance('AB12CDE')).toEqual(BODY);
    expect(sent).toHaveLength(4);
  });

  it('rejects with the last problem, or with a ConnectionError with its cause and without the registration', async () => {
    const platform = clientWith([() => json(503, { message: 'Service Unavailable' })]);
    expect(await failureOf(platform.client.compliance('AB12CDE'))).toMatchObject({ name: 'ApiProblem', status: 503 });
    expect(platform.sent).toHaveLength(5);
    const broken = clientWith([reset], { attempts: 2 });
    const error = await failureOf(broken.client.compliance('AB12CDE'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message: 'No complete response from https://api.example.com in 2 attempts (ECONNRESET).',
      cause: { message: 'fetch failed' },
    });
    expect(broken.sent).toHaveLength(2);
  });

  it('waits until the date in Retry-After, and rejects when it is an hour away', async () => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 10, 22, 12, 0, 30 + seconds)).toUTCString();
    const soon = clientWith([
      () => new Response('', { status: 503, headers: { 'Retry-After': at(20) } }),
      () => json(200, BODY),
    ]);
    await soon.client.insurance('AB12CDE');
    expect(soon.waits).toEqual([20_000 + 250]);
    const late = clientWith([() => new Response('', { status: 503, headers: { 'Retry-After': at(3_600) } })]);
    expect(await failureOf(late.client.insurance('AB12CDE'))).toMatchObject({ status: 503, retryAfter: 3_600 });
    expect(late.waits).toEqual([]);
  });
});

describe('A response that is too large', () => {
  it('is read no further than 10 MB', async () => {
    let megabytes = 0;
    const large = () => {
      let left = 40;
      return new ReadableStream({
        pull: (controller) => {
          megabytes += 1;
          left -= 1;
          controller.enqueue(new Uint8Array(1_000_000).fill(0x20));
          if (left === 0) controller.close();
        },
      });
    };
    const { client } = clientWith([() => new Response(large())], { attempts: 2 });
    const error = await failureOf(client.usage());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message: 'No complete response from https://api.example.com in 2 attempts (TOO_LARGE).',
    });
    // At most one more is in the queue of each stream.
    expect(megabytes).toBeLessThanOrEqual(2 * 12);
  });
});

describe('The quota', () => {
  /** Headers of a window that ends at 12:01:00 by a clock of the service that is ten minutes ahead. */
  const limits = (remaining: number) => ({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': `${remaining}`,
    'X-RateLimit-Reset': `${Date.UTC(2026, 10, 22, 12, 11) / 1_000}`,
    Date: new Date(Date.UTC(2026, 10, 22, 12, 10, 40)).toUTCString(),
  });

  it('is awaited when nothing remains, whatever the clock of the client shows', async () => {
    const { client, waits } = clientWith([() => json(200, BODY, limits(0)), () => json(200, BODY, limits(59))]);
    await client.insurance('AB12CDE');
    expect(waits).toEqual([]);
    await client.insurance('AB12CDE');
    expect(waits).toEqual([20_000]);
  });

  it.each([
    ['in milliseconds', Date.UTC(2026, 10, 22, 12, 11)],
    ['an hour away', Date.UTC(2026, 10, 22, 13, 11) / 1_000],
  ])('is awaited for at most a window when its end is %s', async (_title, reset) => {
    const wrong = { ...limits(0), 'X-RateLimit-Reset': `${reset}` };
    const { client, waits } = clientWith([() => json(200, BODY, wrong), () => json(200, BODY, limits(0))]);
    await client.insurance('AB12CDE');
    await client.insurance('AB12CDE');
    expect(waits).toEqual([60_000]);
  });

  it('is awaited for at most a window after a 429 with a Retry-After of an hour', async () => {
    const limited = () => problem(429, 'RATE_LIMITED', { 'Retry-After': '3600' });
    const { client, waits } = clientWith([limited, () => json(200, BODY)]);
    await client.insurance('AB12CDE');
    expect(waits).toEqual([60_000 + 250]);
  });

  it('counts the requests that have no response yet', async () => {
    const { client, waits, sent } = clientWith([() => json(200, BODY, limits(2))]);
    await client.insurance('AB12CDE');
    await Promise.all(['A1', 'B2', 'C3'].map((registration) => client.insurance(registration)));
    expect([sent.length, waits]).toEqual([4, [20_000]]);
  });

  it('is not changed by a 401, whose limits are 0', async () => {
    const unknown = { ...limits(0), 'X-RateLimit-Limit': '0' };
    const { client, waits } = clientWith([() => problem(401, 'UNAUTHORIZED', unknown), () => json(200, BODY)]);
    await failureOf(client.usage());
    await client.insurance('AB12CDE');
    expect(waits).toEqual([]);
  });
});

describe('An abort', () => {
  it('ends a call before it is sent, while it is sent and while it waits, with its reason', async () => {
    const reason = new Error('no longer needed');
    const before = clientWith([() => json(200, BODY)]);
    expect(await failureOf(before.client.insurance('A1', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(before.sent).toHaveLength(0);

    const controller = new AbortController();
    const during = clientWith([
      () => {
        controller.abort(reason);
        return reset();
      },
    ]);
    expect(await failureOf(during.client.verify(['A1'], { signal: controller.signal }))).toBe(reason);
    expect(during.sent).toHaveLength(1);

    const waiting = new AbortController();
    const { client, sent } = clientWith(
      [() => problem(429, 'RATE_LIMITED', { 'Retry-After': '60' })],
      // The real delay: only the signal ends the minute.
      { timing: {} },
    );
    const call = failureOf(client.content.get('id', { signal: waiting.signal }));
    setImmediate(() => setImmediate(() => waiting.abort(reason)));
    expect(await call).toBe(reason);
    expect(sent).toHaveLength(1);
  });

  it('ends an attempt that takes too long, and a later one succeeds', async () => {
    const hang: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    let calls = 0;
    const { client } = clientWith([], {
      timeoutMs: 5,
      fetch: ((input, init) => {
        calls += 1;
        return calls === 1 ? hang(input, init) : Promise.resolve(json(200, BODY));
      }) satisfies typeof fetch,
    });
    expect(await client.insurance('AB12CDE')).toEqual(BODY);
    expect(calls).toBe(2);
  });
});
