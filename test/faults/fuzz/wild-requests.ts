/** HTTP requests from sound to senseless that an HTTP client can still send. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { damaged } from './mutations.ts';
import { type Call, pathOf } from './sound-calls.ts';
import { jsonTextOf, wildJson, wildText } from './wild-values.ts';

/** One request as it goes onto the wire. Text of the head is sent byte by byte (Latin-1). */
export interface WildRequest {
  readonly endpoint: Call['endpoint'];
  readonly method: string;
  /** Path and query as they are sent. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer;
  /** What is wild about it, without values. */
  readonly about: readonly string[];
}

/** A part of a request and what is wild about it. */
interface Part<T> {
  readonly value: T;
  readonly about?: string;
}

const sound = <T>(value: T): fc.Arbitrary<Part<T>> => fc.constant({ value });

const wild = <T>(about: string, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<Part<T>> =>
  arbitrary.map((value) => ({ value, about }));

/** How often a part is sound for once that it is wild. */
const SOUND = 5;

/** Mostly the sound part, so that most requests have one or two wild ones. */
const mostly = <T>(value: T, ...others: fc.Arbitrary<Part<T>>[]): fc.Arbitrary<Part<T>> =>
  fc.oneof(
    { weight: SOUND * others.length, arbitrary: sound(value) },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );

/** Percent-encoded where HTTP needs it; lone surrogates as U+FFFD, as every client sends them. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Characters that a head line can carry. */
const headerText = wildText.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 6_000));

const BAD_ESCAPES = [
  '%',
  '%4',
  '%zz',
  '%c0%af',
  '%ff',
  '%u0041',
  '%00',
  '%2F',
  '%252F',
  '%2e%2e',
  '%0d%0a',
  '%ed%a0%80',
  '+',
];

const badEscapes = fc.array(fc.oneof(fc.constantFrom(...BAD_ESCAPES), fc.constantFrom('A', '1', '.')), {
  minLength: 1,
  maxLength: 12,
});

const wildTarget = (call: Call): fc.Arbitrary<Part<string>> => {
  const path = pathOf(call);
  const inPlace = (value: string) =>
    Object.keys(call.parameters).length > 0 ? call.template.replace(/\{\w+\}/, () => value) : `${path}/${value}`;
  return mostly(
    path,
    wild(
      'a wild parameter',
      wildText.map((text) => inPlace(encoded(text).slice(0, 9_000))),
    ),
    wild(
      'bad escapes',
      badEscapes.map((parts) => inPlace(parts.join(''))),
    ),
    wild('an escaped slash', fc.constant(path.replace(/\/(?=[^/]*$)/, '%2F'))),
    wild('a double encoding', fc.constant(path.replaceAll('%', '%25'))),
    wild(
      'dots and slashes',
      fc.constantFrom(`${path}/`, `/${path}`, `/.${path}`, `${path}/..`, `/v1/..${path}`, `${path};a=b`),
    ),
    wild(
      'a very long path',
      fc.integer({ min: 100, max: 12_000 }).map((length) => `/v1/${'x'.repeat(length)}`),
    ),
    wild(
      'an unknown path',
      wildText.map((text) => `/${encoded(text).slice(0, 9_000)}`),
    ),
    wild('an absolute target', fc.constant(`http://elsewhere.example${path}`)),
  );
};

const NUMBERS = [
  '0',
  '1',
  '100',
  '101',
  '-1',
  '1.5',
  '1e3',
  '9'.repeat(400),
  '9007199254740993',
  '',
  ' 1',
  '0x10',
  '٣',
];

const wildQuery = ({ query }: Call): fc.Arbitrary<Part<string>> => {
  const text = new URLSearchParams(Object.fromEntries(query)).toString();
  const joined = (more: string) => [text, more].filter(Boolean).join('&');
  const name = fc.constantFrom('limit', 'offset', 'domain', 'slug', '__proto__', 'other');
  return mostly(
    text,
    wild(
      'a wild number',
      fc.tuple(name, fc.constantFrom(...NUMBERS)).map(([key, value]) => joined(`${key}=${encoded(value)}`)),
    ),
    wild(
      'a wild value',
      fc.tuple(name, wildText).map(([key, value]) => joined(`${key}=${encoded(value).slice(0, 8_000)}`)),
    ),
    wild(
      'repeated names',
      fc.tuple(name, fc.integer({ min: 2, max: 800 })).map(([key, times]) => joined(`${key}=1&`.repeat(times))),
    ),
    wild(
      'bad escapes',
      fc.tuple(name, badEscapes).map(([key, value]) => joined(`${key}=${value.join('')}`)),
    ),
    wild('no pairs', fc.constantFrom('?', '&&&', '=', '=1', 'limit', 'limit[]=1', '?limit=1').map(joined)),
  );
};

type Headers = WildRequest['headers'];

const wildKey = (key: string): fc.Arbitrary<Part<Headers>> =>
  mostly<Headers>(
    [['X-API-Key', key]],
    wild<Headers>(
      'the key as a bearer',
      fc.constantFrom(`Bearer ${key}`, `bearer   ${key}`).map((value) => [['Authorization', value]]),
    ),
    wild<Headers>(
      'another Authorization',
      fc
        .constantFrom('Bearer', 'Bearer ', 'Basic YTpi', key, `Bearer ${key} x`, `Bearer ${key},`)
        .map((value) => [['Authorization', value]]),
    ),
    wild<Headers>(
      'two keys',
      fc.constant([
        ['X-API-Key', key],
        ['X-API-Key', key],
      ]),
    ),
    wild<Headers>(
      'a wild key',
      headerText.map((value) => [['X-API-Key', value]]),
    ),
    wild<Headers>('no key', fc.constant([])),
  );

const wildHeaders = ({ headers }: Call): fc.Arbitrary<Part<Headers>> => {
  const name = fc.constantFrom(
    'If-Match',
    'Idempotency-Key',
    'Cookie',
    'X-Forwarded-For',
    'Accept',
    '__proto__',
    'Host',
  );
  return mostly<Headers>(
    headers,
    wild<Headers>(
      'a wild header',
      fc.tuple(name, headerText).map((pair) => [...headers, pair]),
    ),
    wild<Headers>(
      'a header twice',
      fc.tuple(name, headerText, headerText).map(([key, a, b]) => [
        [key, a],
        [key, b],
      ]),
    ),
    wild<Headers>(
      'very many headers',
      fc.integer({ min: 10, max: 400 }).map((count) => Array.from({ length: count }, (_, nth) => [`X-${nth}`, 'x'])),
    ),
    wild<Headers>('a head over 10 kB', fc.constant([['X-Padding', 'x'.repeat(11_000)]])),
  );
};

const CONTENT_TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;',
  'application/jsonp',
  '/',
  '',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/merge-patch+json',
  `application/${'a+'.repeat(3_000)}json`,
];

const wildType = (isSent: boolean): fc.Arbitrary<Part<Headers>> =>
  mostly<Headers>(
    isSent ? [['Content-Type', 'application/json']] : [],
    wild<Headers>(
      'another Content-Type',
      fc.constantFrom(...CONTENT_TYPES).map((value) => [['Content-Type', value]]),
    ),
  );

type Body = Buffer | undefined;

/** A little over what is accepted, and a little under. */
const LARGE = [999_999, 1_000_001];

const wildBody = ({ json }: Call): fc.Arbitrary<Part<Body>> => {
  const text = json === undefined ? '' : JSON.stringify(json);
  const bytes = Buffer.from(text);
  const asBody = (body: string): Body => Buffer.from(body);
  const nested = (open: string, close: string) =>
    fc.integer({ min: 10, max: 20_000 }).map((depth) => open.repeat(depth) + close.repeat(depth));
  return fc.oneof(
    { weight: 40, arbitrary: sound<Body>(json === undefined ? undefined : bytes) },
    {
      weight: 25,
      arbitrary: damaged(json ?? {}).map(({ value, about }) => ({
        value: asBody(jsonTextOf(value)),
        about: `a damaged body: ${about.join(', ') || 'sound after all'}`,
      })),
    },
    {
      weight: 5,
      arbitrary: wild(
        'other JSON',
        wildJson.map((value) => asBody(jsonTextOf(value))),
      ),
    },
    {
      weight: 5,
      arbitrary: wild(
        'a body cut off',
        fc.nat(text.length).map((end): Body => bytes.subarray(0, end)),
      ),
    },
    {
      weight: 4,
      arbitrary: wild(
        'invalid UTF-8',
        fc
          .uint8Array({ maxLength: 60 })
          .map((noise): Body => Buffer.concat([bytes.subarray(0, bytes.length - 2), noise, bytes.subarray(-2)])),
      ),
    },
    {
      weight: 3,
      arbitrary: wild(
        'another encoding',
        fc.constantFrom<Body>(
          Buffer.from(text, 'utf16le'),
          Buffer.from(text, 'latin1'),
          Buffer.from(bytes.toString('base64')),
          gzipSync(bytes),
          Buffer.from(`\ufeff${text}`),
        ),
      ),
    },
    {
      weight: 3,
      arbitrary: wild('lone surrogates', fc.constant(asBody(text.replaceAll(/[a-z](?=[^"]*"[,}])/g, '\\ud800')))),
    },
    { weight: 3, arbitrary: wild('deep nesting', fc.oneof(nested('[', ']'), nested('{"a":', '}')).map(asBody)) },
    {
      weight: 3,
      arbitrary: wild(
        'a huge array',
        fc
          .integer({ min: 900, max: 30_000 })
          .map((length) => asBody(`{"registrations":[${'"A1",'.repeat(length)}"A1"]}`)),
      ),
    },
    {
      weight: 2,
      arbitrary: wild(
        'very many fields',
        fc
          .integer({ min: 100, max: 20_000 })
          .map((count) => asBody(`{${Array.from({ length: count }, (_, nth) => `"f${nth}":1`).join()}}`)),
      ),
    },
    {
      weight: 1,
      arbitrary: wild(
        'about 1 MB',
        fc.constantFrom(...LARGE).map((size) => asBody(JSON.stringify({ title: 'x'.repeat(size - 12) }))),
      ),
    },
  );
};

const METHODS = ['HEAD', 'OPTIONS', 'PATCH', 'GET', 'POST', 'PUT', 'DELETE', 'TRACE', 'PURGE', 'PROPFIND'];

/** Requests made of a sound call, most of them with one or two wild parts. */
export const wildRequests = (calls: fc.Arbitrary<Call>, keys: readonly string[]): fc.Arbitrary<WildRequest> =>
  fc.record({ call: calls, key: fc.constantFrom(...keys) }).chain(({ call, key }) =>
    fc
      .record({
        method: fc.oneof(
          { weight: 12, arbitrary: sound(call.method) },
          { weight: 1, arbitrary: wild('another method', fc.constantFrom(...METHODS)) },
        ),
        path: wildTarget(call),
        query: wildQuery(call),
        keyHeaders: wildKey(key),
        headers: wildHeaders(call),
        type: wildType(call.json !== undefined),
        body: wildBody(call),
      })
      .map(
        ({ method, path, query, keyHeaders, headers, type, body }): WildRequest => ({
          endpoint: call.endpoint,
          method: method.value,
          target: query.value === '' ? path.value : `${path.value}?${query.value}`,
          headers: [...keyHeaders.value, ...headers.value, ...type.value],
          ...(body.value && { body: body.value }),
          about: [method, path, query, keyHeaders, headers, type, body].flatMap(({ about }) => about ?? []),
        }),
      ),
  );
