import { describe, expect, it } from '@jest/globals';
import { MAX_BULK_SIZE } from '../../../core/access/plans.ts';
import { importLibrary, virtualTime } from './installed-package.ts';
import { USAGE } from './use-client.ts';

const { ApiProblem, ConnectionError, VehicleVerification } = await importLibrary();
const KEY = `vvc_live_${'A'.repeat(36)}`;
const BODY = { registration: 'AB12CDE', insured: true, compliant: true };

type Headers = Record<string, string>;
type Reply = (request: Request) => Response | Error | Promise<Response>;
const json = (status: number, body: unknown, headers: Headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
/** An answer to any lookup of a vehicle. */
const success: Reply = ({ url }) => {
  const { pathname, searchParams } = new URL(url);
  const registration = decodeURIComponent(/(?:vehicle|compliance)\/([^/]+)/.exec(pathname)?.[1] ?? '');
  const asOf = searchParams.get('date');
  return json(200, { registration, insured: true, compliant: true, ...(asOf !== null && { asOf }) });
};
const problem = (status: number, code: string, headers: Headers = {}, members: object = {}) => {
  const body = { title: 'Title', status, detail: 'What to do.', code, requestId: 'r-1', ...members };
  return json(status, body, { 'Content-Type': 'application/problem+json', ...headers });
};
const unavailable = (headers: Headers = {}) => json(503, { message: 'Service Unavailable' }, headers);
const reset = () => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });

/** A client whose requests get these replies; the last one repeats. */
const clientWith = (replies: readonly Reply[], options: object = {}) => {
  const time = virtualTime();
  const sent: Request[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push(request);
    init?.signal?.throwIfAborted();
    const reply = await (replies[Math.min(sent.length, replies.length) - 1]?.(request) ?? new Error('no reply'));
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const baseUrl = 'https://api.example.com/v1/';
  const client = new VehicleVerification({ baseUrl, apiKey: KEY, fetch: send, timing: time.timing, ...options });
  return { client, sent, ...time };
};
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('A request', () => {
  it('is sent below the base address with the key, and encoded', async () => {
    const { client, sent } = clientWith([success]);
    const answer = { ...BODY, registration: 'ÄB 1/2', asOf: '2026-01-31' };
    expect(await client.insurance('ÄB 1/2', { date: '2026-01-31' })).toEqual(answer);
    expect(sent.map(({ method, url }) => [method, url])).toEqual([
      ['GET', 'https://api.example.com/v1/vehicle/%C3%84B%201%2F2/insurance?date=2026-01-31'],
    ]);
    expect(sent[0]?.headers.get('Authorization')).toBe(`Bearer ${KEY}`);
  });

  it('hands on how many suppliers are current, of answers and of problems', async () => {
    const [late, current] = [
      { expected: 3, current: 2 },
      { expected: 3, current: 3 },
    ];
    const seen: unknown[] = [];
    const onSources = (sources: unknown) => seen.push(sources);
    const replies = [
      () => json(200, { ...BODY, sources: late }),
      () => problem(404, 'VEHICLE_NOT_FOUND', {}, { sources: current }),
      ...[5, { expected: '3', current: 2 }].map((sources) => () => json(200, { ...BODY, sources })),
      success,
    ];
    const { client } = clientWith(replies, { onSources });
    for (const _reply of replies) await client.insurance('AB12CDE');
    expect(seen).toEqual([late, current]);
  });

  it('of a lookup has the reference of its call, in bulk each', async () => {
    const many: Reply = async (request) => {
      const { registrations } = (await request.json()) as { registrations: string[] };
      const entry = (registration: string) => ({ registration, insured: true, compliant: true });
      return json(200, { results: registrations.map(entry) });
    };
    const { client, sent } = clientWith([success, success, many, many, success]);
    await client.insurance('AB12CDE', { reference: 'a' });
    await client.compliance('AB12CDE', { reference: 'b' });
    await client.verify(['AB12CDE'], { reference: 'c' });
    await client.verifyCompliance(['AB12CDE'], { reference: 'd' });
    await client.insurance('AB12CDE');
    expect(sent.map(({ headers }) => headers.get('X-Reference'))).toEqual(['a', 'b', 'c', 'd', null]);
    const sentence = 'The reference must be 1 to 64 letters, digits and characters of ._:/-.';
    for (const reference of ['', 'a b', 'x'.repeat(65), 1 as unknown as string]) {
      expect(await failureOf(client.insurance('AB12CDE', { reference }))).toEqual(new TypeError(sentence));
      expect(await failureOf(client.verifyCompliance(['AB12CDE'], { reference }))).toEqual(new TypeError(sentence));
    }
    expect(sent).toHaveLength(5);
  });

  it.each([
    ['https://x.example/v1/vehicle/AB12CDE/insurance?to=AB12CDE', 'https://x.example/v1'],
    ['/sign-in?for=AB12CDE', 'https://api.example.com/sign-in'],
  ])('follows no redirect, which could take the key elsewhere, and names its target: %s', async (location, target) => {
    const headers = { Location: location };
    const { client, sent } = clientWith([() => new Response(null, { status: 302, headers })]);
    const problem = await failureOf(client.insurance('AB12CDE'));
    expect(problem).toMatchObject({ name: 'ApiProblem', status: 302, code: undefined });
    expect(String(problem)).toContain(`The address redirects to ${target}, which the client does not follow`);
    expect([sent.length, sent[0]?.redirect]).toEqual([1, 'manual']);
  });

  it.each(['https://x.example', 'https://x.example/', 'https://x.example/v1/', 'https://x.example/v1?a#b'])(
    'is sent to the version that the client is for, whether or not the address names it: %s',
    async (baseUrl) => {
      const { client, sent } = clientWith([success], { baseUrl });
      await client.compliance('AB12CDE');
      expect(sent[0]?.url).toBe('https://x.example/v1/compliance/AB12CDE');
    },
  );

  it.each([200, 403])(
    'that is answered with %i and a page of HTML is rejected at once, and says so',
    async (status) => {
      const page = () => new Response('<html>', { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
      const { client, sent } = clientWith([page]);
      const detail = expect.stringMatching(/^The response is a page of HTML in place of an answer/);
      expect(await failureOf(client.usage())).toMatchObject({ name: 'ApiProblem', status, detail });
      expect(sent).toHaveLength(1);
    },
  );

  it('that is answered with 503 and a page of HTML is sent again, and reported as not available', async () => {
    const messages: string[] = [];
    const onRetry = ({ message }: Error) => messages.push(message);
    const page = () => new Response('<html>', { status: 503, headers: { 'Content-Type': 'text/html' } });
    expect(await clientWith([page, success], { onRetry }).client.insurance('AB12CDE')).toEqual(BODY);
    expect(messages).toEqual(['503: The service, or a proxy in front of it, is not available just now.']);
  });

  it.each([
    ['https://api.example.com/v1\r', 'ends with a carriage return, as from a file of Windows: remove it.'],
    ['"https://api.example.com/v1"', 'has quotes around it: remove them.'],
    [' https://api.example.com/v1', 'has blanks around it: remove them.'],
    ['api.example.com/v1', 'does not begin with https://.'],
    ['localhost:3000/v1', 'does not begin with https://.'],
    ['https://', 'is malformed: write it as https://api.example.com/v1.'],
  ])('is rejected with an invalid address: %j', (baseUrl, problem) => {
    const error = new TypeError(`The address of the service ${problem}`);
    expect(() => new VehicleVerification({ baseUrl, apiKey: KEY })).toThrow(error);
  });

  it('has at most 16 MB of response: the rest is not read, and it is not repeated', async () => {
    let chunks = 0;
    const endless = () => {
      const pull = (body: ReadableStreamDefaultController) => body.enqueue(new Uint8Array(1_000_000 + 0 * chunks++));
      return new Response(new ReadableStream({ pull }), { headers: { 'Content-Type': 'application/json' } });
    };
    const { client, sent } = clientWith([endless]);
    expect(String(await failureOf(client.usage()))).toMatch(
      / in 1 attempt \(RESPONSE_TOO_LARGE: the response is larger/,
    );
    expect([sent.length, chunks < 20]).toEqual([1, true]);
  });

  it.each(['', ' \n', 'vvc_live_ab\ncd', 'vvc_live_ü'])('is rejected with an invalid key: %j', (apiKey) => {
    const error = new TypeError('The API key is empty or contains invalid characters.');
    expect(() => new VehicleVerification({ baseUrl: 'https://api.example.com/v1', apiKey })).toThrow(error);
  });
});

describe('Arguments', () => {
  const RIGHT = { baseUrl: 'https://api.example.com/v1', apiKey: KEY };
  it.each<[unknown, string]>([
    [undefined, 'The client takes an object with baseUrl and apiKey.'],
    [{ ...RIGHT, baseUrl: undefined }, 'baseUrl must be the address of the service, as text or URL.'],
    [{ ...RIGHT, apiKey: undefined }, 'apiKey must be a text: the key that you were given.'],
    [{ ...RIGHT, attempts: Number.NaN }, 'attempts must be a whole number from 1 to 2147483647.'],
    [{ ...RIGHT, timeoutMs: -1 }, 'timeoutMs must be a whole number from 1 to 2147483647.'],
    // Nobody would send the requests of a bulk lookup.
    [{ ...RIGHT, concurrency: 0 }, 'concurrency must be a whole number from 1 to 2147483647.'],
    [{ ...RIGHT, fetch: 'x' }, 'fetch must be a function.'],
  ])('of the constructor are checked: %j', (options, sentence) => {
    const create = () => new VehicleVerification(options as ConstructorParameters<typeof VehicleVerification>[0]);
    expect(create).toThrow(new TypeError(sentence));
  });

  const REGISTRATION = "The registration must be a text such as 'AB12 CDE'.";
  const REGISTRATIONS = "The registrations must be an array of texts, such as ['AB12 CDE'].";
  const DAY = 'The date must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD.';
  const { client, sent } = clientWith([success]);
  const wrong = <Value>(value: unknown) => value as Value;
  it.each<[string, () => Promise<unknown>, string]>([
    ['an empty registration', () => client.insurance(''), REGISTRATION],
    ['a registration that would change the path', () => client.compliance('..'), REGISTRATION],
    ['a registration that is missing', () => client.insurance(wrong(undefined)), REGISTRATION],
    ['a day that does not exist', () => client.insurance('AB12CDE', { date: '2026-02-30' }), DAY],
    ['a date', () => client.verify(['AB12CDE'], { date: wrong(new Date(0)) }), DAY],
    ['a text in place of a list', () => client.verify(wrong('AB12CDE')), REGISTRATIONS],
    ['a list with a gap', () => client.verifyCompliance(wrong(['AB12CDE', undefined])), REGISTRATIONS],
    ['changes in place of a function', () => client.content.update('a', wrong({})), 'The edit must be a function that'],
    ['an empty id', () => client.content.delete(''), 'The id must be a text such as '],
    ['half of a surrogate pair', () => client.insurance('AB12CDE\ud800'), REGISTRATION],
    [
      'an idempotency key that no header can have',
      () => client.content.create(wrong({}), { idempotencyKey: 'order №7' }),
      'The idempotencyKey must be a text of ASCII characters',
    ],
  ])('of methods are checked before anything is sent: %s', async (_what, call, sentence) => {
    await expect(call()).rejects.toThrow(TypeError);
    await expect(call()).rejects.toThrow(sentence);
    expect(sent).toEqual([]);
  });
});

describe('A problem', () => {
  const errors = [{ parameter: 'date', detail: 'must be a day' }];
  const known = { title: 'Title', detail: 'What to do.', requestId: 'r-1', errors: [] };

  it.each<[string, () => Response, object]>([
    [
      'has every member of the response, even a code that is not known yet',
      () => problem(418, 'BRAND_NEW', { 'Retry-After': '7' }, { errors }),
      {
        message: '418 BRAND_NEW: What to do. date must be a day. (request r-1)',
        ...known,
        status: 418,
        code: 'BRAND_NEW',
        retryAfter: 7,
        errors,
      },
    ],
    [
      'of API Gateway has its sentence and id',
      () => json(413, { message: 'Request Too Long' }, { 'Apigw-Requestid': 'gw-1' }),
      { status: 413, code: undefined, detail: 'Request Too Long', requestId: 'gw-1', errors: [] },
    ],
    [
      'that has no explanation says so',
      () => new Response('not JSON', { status: 400 }),
      { message: '400: The response has the status 400 and no explanation.', code: undefined, errors: [] },
    ],
    [
      'without errors has none',
      () => problem(400, 'X', {}, { errors: undefined }),
      { message: '400 X: What to do. (request r-1)', errors: [] },
    ],
    [
      'whose members have other types than the document’s has the others',
      () => problem(400, 'X', {}, { errors: [null, 1, { pointer: '', detail: 'is wrong' }], title: 5, requestId: {} }),
      { message: '400 X: What to do. The body is wrong.', errors: [{ pointer: '', detail: 'is wrong' }] },
    ],
    [
      'that is no object has a sentence',
      () => new Response('"text"', { status: 400, headers: { 'Content-Type': 'application/problem+json' } }),
      { message: '400: The response has the status 400 and no explanation.', errors: [] },
    ],
  ])('%s, and is not retried', async (_title, reply, expected) => {
    const { client, sent } = clientWith([reply]);
    const error = await failureOf(client.insurance('AB12CDE'));
    expect(error).toBeInstanceOf(ApiProblem);
    expect(error).toMatchObject(expected);
    expect(sent).toHaveLength(1);
  });

  it('becomes undefined only for an unknown vehicle', async () => {
    const unknown = () => problem(404, 'VEHICLE_NOT_FOUND');
    expect(await clientWith([unknown]).client.insurance('ZZ99ZZZ')).toBeUndefined();
    expect(await clientWith([unknown]).client.compliance('ZZ99ZZZ')).toBeUndefined();
    for (const [status, other] of [
      [404, () => problem(404, 'COMPLIANCE_NOT_FOUND')],
      [404, () => new Response('<html>', { status: 404 })],
      [403, () => problem(403, 'VEHICLE_NOT_FOUND')],
    ] as const) {
      expect(await failureOf(clientWith([other]).client.compliance('VE24UNK'))).toMatchObject({ status });
    }
  });
});

describe('A transient error', () => {
  it('is retried after Retry-After, or after a doubling backoff with full jitter', async () => {
    const { client, waits } = clientWith([
      () => problem(429, 'RATE_LIMITED', { 'Retry-After': '3' }),
      () => json(429, { message: 'Too Many Requests' }),
      () => unavailable(),
      reset,
      success,
    ]);
    expect(await client.insurance('AB12CDE')).toEqual(BODY);
    expect(waits).toEqual([3_000 + 250, 500, 1_000, 2_000]);
  });

  it('rejects with the last problem, or with a ConnectionError with its cause and without the registration', async () => {
    const platform = clientWith([() => unavailable()]);
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

  it('is reported before each retry, but for the rate limit', async () => {
    const messages: string[] = [];
    const onRetry = ({ message }: Error) => messages.push(message);
    const replies = [() => problem(429, 'RATE_LIMITED', { 'Retry-After': '3' }), reset, () => unavailable(), success];
    await clientWith(replies, { onRetry })
      .client.usage()
      .catch(() => undefined);
    expect(messages).toEqual([
      'No complete response from https://api.example.com in 2 attempts (ECONNRESET).',
      '503: Service Unavailable',
    ]);
  });

  it('is final in the third attempt when the host’s name is unknown', async () => {
    const cause = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    const { client, sent } = clientWith([() => new TypeError('fetch failed', { cause })], { attempts: 8 });
    const message = 'No complete response from https://api.example.com in 3 attempts (ENOTFOUND: there is no host';
    expect(String(await failureOf(client.usage()))).toContain(message);
    expect(sent).toHaveLength(3);
  });

  const untrusted = 'not trusted; if your network inspects traffic, set NODE_EXTRA_CA_CERTS';
  it.each([
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'].map((code) => [
      code,
      untrusted,
    ]),
    ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID'].map((code) => [
      code,
      'not valid for this host today).',
    ]),
  ])('is none when the certificate is wrong, and the message says how: %s', async (code, sentence) => {
    const cause = Object.assign(new Error('x'), { code });
    const { client, sent } = clientWith([() => new TypeError('fetch failed', { cause })]);
    expect(String(await failureOf(client.usage()))).toContain(`(${code}: its certificate is ${sentence}`);
    expect(sent).toHaveLength(1);
  });

  it('waits until the date in Retry-After, and rejects when it is an hour away', async () => {
    const retryAt = (seconds: number) => () =>
      unavailable({ 'Retry-After': new Date(Date.UTC(2026, 10, 22, 12, 0, 30 + seconds)).toUTCString() });
    const soon = clientWith([retryAt(20), success]);
    await soon.client.insurance('AB12CDE');
    expect(soon.waits).toEqual([20_000 + 250]);
    const late = clientWith([retryAt(3_600)]);
    expect(await failureOf(late.client.insurance('AB12CDE'))).toMatchObject({ status: 503, retryAfter: 3_600 });
    expect(late.waits).toEqual([]);
  });
});

describe('A deletion whose first response was lost', () => {
  it.each([
    ['succeeds when the item is gone', 'CONTENT_NOT_FOUND', undefined],
    ['rejects when nothing is at this address', 'ROUTE_NOT_FOUND', { code: 'ROUTE_NOT_FOUND' }],
  ])('%s', async (_outcome, code, failure) => {
    const { client } = clientWith([reset, () => problem(404, code)]);
    const rejected = await failureOf(client.content.delete('a'));
    expect(rejected).toEqual(failure && expect.objectContaining(failure));
  });
});

describe('The quota', () => {
  const RESET = Date.UTC(2026, 10, 22, 12, 11);
  /** Headers of a window that ends at 12:01:00 by a clock of the service that is ten minutes ahead. */
  const limits = (remaining: number, reset = RESET / 1_000) => ({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': `${remaining}`,
    'X-RateLimit-Reset': `${reset}`,
    Date: new Date(Date.UTC(2026, 10, 22, 12, 10, 40)).toUTCString(),
  });
  const limited =
    (headers: Headers): Reply =>
    async (request) =>
      json(200, await ((await success(request)) as Response).json(), headers);

  const AN_HOUR = { 'Retry-After': '3600' };
  const NOTHING = { ...limits(0), 'X-RateLimit-Limit': '0' };
  it.each<[string, Reply, number[]]>([
    ['when nothing remains, whatever the clock of the client shows', limited(limits(0)), [20_000]],
    ['at most a window when its end is in milliseconds', limited(limits(0, RESET)), [60_000]],
    ['at most a window when its end is an hour away', limited(limits(0, RESET / 1_000 + 3_600)), [60_000]],
    ['at most a window after Retry-After of an hour', () => problem(429, 'RATE_LIMITED', AN_HOUR), [60_000 + 250]],
    ['not after a 401, whose limits are 0', () => problem(401, 'UNAUTHORIZED', NOTHING), []],
    ['not for a used-up allowance, which a person must know of', () => problem(429, 'ALLOWANCE_EXCEEDED', AN_HOUR), []],
  ])('is awaited %s', async (_title, first, expected) => {
    const ends: Date[] = [];
    const onRateLimit = (until: Date) => ends.push(until);
    const { client, waits, timing } = clientWith([first, limited(limits(59))], { onRateLimit });
    await failureOf(client.insurance('AB12CDE'));
    await client.insurance('AB12CDE');
    expect(waits).toEqual(expected);
    expect(ends).toEqual(expected.map(() => new Date(timing.now())));
  });

  it('counts the requests that have no response yet', async () => {
    const { client, waits, sent } = clientWith([limited(limits(2))]);
    await client.insurance('AB12CDE');
    await Promise.all(['A1', 'B2', 'C3'].map((registration) => client.insurance(registration)));
    expect([sent.length, waits]).toEqual([4, [20_000]]);
  });

  it('counts them too when the first response of a window comes before theirs', async () => {
    const late = Promise.withResolvers<Response>();
    const { client, waits } = clientWith([limited(limits(1)), () => late.promise, limited(limits(59))]);
    const [first, second] = ['A1', 'B2'].map((registration) => client.insurance(registration));
    await first;
    await client.insurance('C3');
    expect(waits).toEqual([20_000]);
    late.resolve(json(200, { ...BODY, registration: 'B2' }));
    await second;
  });
});

it('An abort ends a call before it is sent, while it is sent and while it waits, with its reason', async () => {
  const reason = new Error('no longer needed');
  const before = clientWith([success]);
  expect(await failureOf(before.client.insurance('A1', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(before.sent).toHaveLength(0);

  const controller = new AbortController();
  const abort = () => {
    controller.abort(reason);
    return reset();
  };
  const during = clientWith([abort]);
  expect(await failureOf(during.client.verify(['A1'], { signal: controller.signal }))).toBe(reason);
  expect(during.sent).toHaveLength(1);

  const waiting = new AbortController();
  // The real delay: only the signal ends the minute.
  const late = clientWith([() => problem(429, 'RATE_LIMITED', { 'Retry-After': '60' })], { timing: {} });
  const call = failureOf(late.client.content.get('id', { signal: waiting.signal }));
  setImmediate(() => setImmediate(() => waiting.abort(reason)));
  expect(await call).toBe(reason);
  expect(late.sent).toHaveLength(1);
});

it.each(['p1 p1', 'p1 p2 p3 p1'])('A list whose pages go round for ever ends with an error: %s', async (pages) => {
  const replies = pages.split(' ').map((next) => () => json(200, { items: [], total: 0, next }));
  const { client, sent } = clientWith(replies);
  await expect(Array.fromAsync(client.content.list())).rejects.toThrow('names a page that was read already');
  expect(sent).toHaveLength(replies.length);
});

type Registrations = readonly string[];

const entriesOf = (registrations: Registrations) =>
  Response.json({ results: registrations.map((registration) => ({ registration, insured: true, policy: null })) });

/** A client of a service with this bulk size. `asked` has the registrations of each bulk request. */
const bulkClient = (
  answer: (registrations: Registrations, nth: number) => Response | Promise<Response>,
  registrationsPerBulk: number | null = 500,
) => {
  const asked: Registrations[] = [];
  const { client } = clientWith([
    async (request) => {
      if (request.url.endsWith('/usage')) {
        return Response.json({ ...USAGE, limits: { ...USAGE.limits, registrationsPerBulk } });
      }
      const { registrations } = (await request.json()) as { registrations: Registrations };
      asked.push(registrations);
      return answer(registrations, asked.length);
    },
  ]);
  return { client, asked };
};
const named = (count: number) => Array.from({ length: count }, (_, index) => `X${index}`);

describe('A bulk lookup', () => {
  it('splits a long list by the size of the plan and keeps its order', async () => {
    const { client, asked } = bulkClient(entriesOf);
    const results = await client.verify(named(1_201));
    expect(results.map(({ registration }) => registration)).toEqual(named(1_201));
    expect(asked.map(({ length }) => length)).toEqual([500, 500, 201]);
  });

  it('sends at most as many registrations in one request as the service takes, whatever the plan allows', async () => {
    const { client, asked } = bulkClient(entriesOf, 5_000);
    await client.verify(named(MAX_BULK_SIZE + 1));
    expect(asked.map(({ length }) => length)).toEqual([MAX_BULK_SIZE, 1]);
  });

  it('halves its requests when the plan has become smaller', async () => {
    const tooLarge = () => problem(400, 'BULK_TOO_LARGE');
    const { client, asked } = bulkClient((bulk) => (bulk.length > 150 ? tooLarge() : entriesOf(bulk)));
    const results = await client.verify(named(500));
    expect(results.map(({ registration }) => registration)).toEqual(named(500));
    expect(asked.map(({ length }) => length)).toEqual([500, 250, 125, 125, 250, 125, 125]);
    await client.verify(named(250));
    expect(asked.slice(7).map(({ length }) => length)).toEqual([125, 125]);
  });

  it('sends four concurrent requests, and aborts the others when one fails', async () => {
    let open = 0;
    let most = 0;
    const { client, asked } = bulkClient(async (bulk, nth) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      if (nth === 5) return new Response('{}', { status: 403 });
      return entriesOf(bulk);
    });
    expect(await failureOf(client.verify(named(5_000)))).toMatchObject({ name: 'ApiProblem', status: 403 });
    expect(most).toBe(4);
    expect(asked.length).toBeLessThan(10);
  });

  it('rejects a response that is not for its registrations', async () => {
    for (const body of [{ results: [] }, { results: 'x' }, {}, null]) {
      const { client } = bulkClient(() => Response.json(body));
      await expect(client.verify(['A1'])).rejects.toThrow('is for registrations other than those requested.');
    }
  });

  it('has an error entry for each registration where the answer is for another day', async () => {
    const right = { registration: 'X0', insured: true };
    const { client } = bulkClient(() => Response.json({ results: [right], asOf: '2026-02-01' }));
    expect(await client.verify(['X0'], { date: '2026-02-01' })).toEqual([right]);
    expect(await client.verify(['X0'], { date: '2026-02-02' })).toMatchObject([{ code: 'INVALID_ANSWER' }]);
    expect(await client.verify(['X0'])).toMatchObject([{ code: 'INVALID_ANSWER' }]);
  });

  it.each([0, -5, null])('is rejected for a usage with the bulk size %j', async (registrationsPerBulk) => {
    const { client, asked } = bulkClient(entriesOf, registrationsPerBulk);
    await expect(client.verify(named(101))).rejects.toThrow('The response is not the usage of a key with its limits.');
    expect(asked).toEqual([]);
  });
});

/** Fields that make an answer for AB12CDE none. */
const FAULTS: readonly (readonly [string, object])[] = [
  ['another registration', { registration: 'X0' }],
  ['no verdict', { insured: undefined, compliant: undefined }],
  ['a verdict of another kind', { insured: 'true', compliant: 'true' }],
  ...['', null, false, 0, {}, ['VEHICLE_NOT_FOUND'], 'constructor', '__proto__'].map(
    (code) => [`the code ${JSON.stringify(code)}`, { code }] as const,
  ),
  ['a status of another type', { status: 404 }],
  ['a suggestion of another type', { suggestion: 5 }],
  ['an error of another type', { error: {} }],
  ...['POL-1', [], 0].map((policy) => [`the policy ${JSON.stringify(policy)}`, { policy }] as const),
  ...['number', 'insurer', 'type', 'validFrom', 'validTo'].map(
    (name) => [`a policy with another type of ${name}`, { policy: { [name]: { toString: 1 } } }] as const,
  ),
  ['reasons that are no list', { reasons: 'MOT_EXPIRED' }],
  ['reasons that are no texts', { reasons: [null] }],
  ['details that are none', { details: [] }],
  ['details with another type of a day', { details: { mot: { dueDate: 20_300_101 } } }],
  ['details with another type of a number', { details: { fines: { outstanding: {} } } }],
];

describe('What is no answer', () => {
  it.each<readonly [string, object | null]>([...FAULTS, ['no entry', null]])(
    'is an error entry in bulk: %s',
    async (_title, fields) => {
      const right = { registration: 'X0', insured: true, policy: null };
      const entry = fields && { ...BODY, ...fields };
      const { client, asked } = bulkClient(() => Response.json({ results: [right, entry] }));
      const error = 'The response is no answer for this registration and day.';
      const wrong = { registration: 'AB12CDE', code: 'INVALID_ANSWER', error };
      const registrations = ['X0', 'AB12CDE'];
      expect(await client.verify(registrations)).toEqual([right, { ...wrong, insured: false }]);
      expect(asked).toHaveLength(1);
      // A verdict on insurance is not one on compliance.
      expect(await client.verifyCompliance(registrations)).toEqual([
        { ...wrong, registration: 'X0', compliant: false },
        { ...wrong, compliant: false },
      ]);
    },
  );

  const EMPTY: readonly (readonly [string, Reply])[] = [
    ['204', () => new Response(null, { status: 204 })],
    ...[null, {}, 'text'].map((body) => [JSON.stringify(body), () => json(200, body)] as const),
  ];

  it.each<readonly [string, Reply]>([
    ...EMPTY,
    ...FAULTS.map(([title, fields]) => [title, () => json(200, { ...BODY, ...fields })] as const),
    ['an error entry of a bulk answer', () => json(200, { ...BODY, insured: false, code: 'VEHICLE_NOT_FOUND' })],
    ['a problem with a status of success', () => problem(200, 'VEHICLE_NOT_FOUND')],
    ['an answer for another day', () => json(200, { ...BODY, asOf: '2026-02-01' })],
  ])('is an error in a single lookup: %s', async (_title, reply) => {
    const { client } = clientWith([reply]);
    const error = new Error('The response is no answer for this registration and day.');
    expect(await failureOf(client.insurance('AB12CDE'))).toEqual(error);
    expect(await failureOf(client.insurance('AB12CDE', { date: '2026-02-02' }))).toEqual(error);
    expect(await failureOf(client.compliance('AB12CDE'))).toEqual(error);
  });

  it.each(EMPTY)('is an error for an item of content: %s', async (_title, reply) => {
    const { content } = clientWith([reply]).client;
    const error = new Error('The response is not an item of content with its version.');
    const item = { title: 'T', content: 'C', domain: 'd.example', slug: 's' };
    const calls = [content.get('a'), content.create(item), content.update('a', () => ({ title: 'x' }))];
    expect(await Promise.all(calls.map(failureOf))).toEqual([error, error, error]);
  });
});
