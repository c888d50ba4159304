/** Gateway events from valid to meaningless, as JSON text: whatever a platform could pass to a function. */
import fc from 'fast-check';
import { chooseRoute } from '../../../lib/local/gateway/routes.ts';
import type { Call } from './valid-calls.ts';

/** An event and the call that it was before it was damaged. */
export interface MalformedEvent {
  readonly call: Call;
  readonly json: string;
}

/** Placeholders for what no value can hold that becomes JSON: a number beyond every double, and very deep nesting. */
const BEYOND_NUMBERS = '@a number beyond every double';
const VERY_DEEP = '@10,000 levels';
const LEVELS = 10_000;
/** Bytes of text that a function can be passed at most. */
const HUGE = 6_000_000;

const jsonTextOf = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null')
    .replaceAll(JSON.stringify(BEYOND_NUMBERS), '1e999')
    .replaceAll(JSON.stringify(VERY_DEEP), '['.repeat(LEVELS) + ']'.repeat(LEVELS));

const UNUSUAL_TEXTS = [
  ...['', ' ', '\0', '\n', '\r\nX-Injected: 1', '0', '-1', 'null', 'undefined', 'NaN', '[object Object]', '{}', '"'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '../../etc/passwd', '%00', '%', '%c0%af', '*', '"1"'],
  ...[
    "' OR 1=1 --",
    '<script>alert(1)</script>',
    '\ud800',
    '\udc00x',
    '\ufeff',
    '\u202e',
    'İ',
    'ß',
    '👩‍👩‍👧‍👦',
    'AB12CDE',
  ],
  '9'.repeat(400),
];

const longText = fc
  .record({ unit: fc.constantFrom('a', 'Ä', ' ', '\\', '%41'), times: fc.integer({ min: 30, max: 12_000 }) })
  .map(({ unit, times }) => unit.repeat(times));

const unusualText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...UNUSUAL_TEXTS) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: longText },
);

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
  'toJSON',
];

/** `fromEntries` makes `__proto__` a name like any other. */
const prototypeKeys: fc.Arbitrary<object> = fc
  .record({
    name: fc.constantFrom(...PROTOTYPE_NAMES),
    value: fc.constantFrom<unknown>({ polluted: true }, { prototype: { polluted: true } }, null, 'polluted', 1),
  })
  .map(({ name, value }) => Object.fromEntries([[name, value]]));

const unusualJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, 0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(BEYOND_NUMBERS, VERY_DEEP) },
  { weight: 3, arbitrary: unusualText },
  { weight: 1, arbitrary: prototypeKeys },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.nat(3_000).map((length) => Array.from({ length }, () => null)) },
);

type Change = (value: unknown) => unknown;

const ofMembers =
  (change: (entries: [string, unknown][]) => [string, unknown][]): Change =>
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(change(Object.entries(value)))
      : value;

/** Of one value anywhere in an event; undefined removes it. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom<Change>(
    () => undefined,
    () => null,
    (value) => [value],
    (value) => JSON.stringify(value),
    ofMembers((entries) => entries.map(([name, value]) => [name.toUpperCase(), value])),
  ),
  unusualJson.map(
    (other): Change =>
      () =>
        other,
  ),
  prototypeKeys.map((keys) => ofMembers((entries) => [...entries, ...Object.entries(keys)])),
);

/** Changes the nth value; a reviver is called for each value in turn. */
const changed = (value: unknown, { nth, apply }: { readonly nth: number; readonly apply: Change }): unknown => {
  const text = JSON.stringify(value) ?? 'null';
  let count = 0;
  JSON.parse(text, (_, inner) => {
    count += 1;
    return inner;
  });
  let visited = 0;
  return JSON.parse(text, (_, inner) => {
    visited += 1;
    return visited === 1 + (nth % count) ? apply(inner) : inner;
  });
};

/** The value with up to `most` changes, often none. */
const damaged = (value: unknown, most = 3): fc.Arbitrary<unknown> =>
  fc
    .array(fc.record({ nth: fc.nat(), apply: change }), { maxLength: most })
    .map((changes) => changes.reduce(changed, value));

const eventOf = ({ method, path, parameters, query, headers, json }: Call, key: string, now: number): object => ({
  version: '2.0',
  routeKey: chooseRoute(method, path).route.key,
  rawPath: decodeURIComponent(path),
  rawQueryString: new URLSearchParams(query).toString(),
  headers: Object.fromEntries([
    ['x-api-key', key],
    ...(json === undefined ? [] : [['content-type', 'application/json']]),
    ...Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  ]),
  requestContext: { http: { method, path }, requestId: 'a-request', timeEpoch: now },
  pathParameters: parameters,
  ...(json !== undefined && { body: JSON.stringify(json), isBase64Encoded: false }),
});

/** Other bodies, and other ways to encode one. */
const unusualBody = (json: unknown = {}): fc.Arbitrary<object> => {
  const valid = JSON.stringify(json);
  const encoded = (body: string) => ({ body, isBase64Encoded: true });
  return fc.oneof(
    { weight: 4, arbitrary: damaged(json).map((value) => ({ body: jsonTextOf(value) })) },
    { weight: 2, arbitrary: fc.nat(valid.length).map((end) => ({ body: valid.slice(0, end) })) },
    { weight: 2, arbitrary: unusualText.map(encoded) },
    { weight: 2, arbitrary: fc.constant(encoded(Buffer.from(valid).toString('base64'))) },
    { weight: 1, arbitrary: fc.constant(encoded(valid)) },
    { weight: 1, arbitrary: fc.constant(encoded(Buffer.from(valid, 'utf16le').toString('base64'))) },
    { weight: 1, arbitrary: unusualJson.map((body) => ({ body })) },
  );
};

const hugeBody: fc.Arbitrary<object> = fc
  .record({ unit: fc.constantFrom('x', '[', '{"a":', '[0,', '"\\u0000",', '==='), isBase64Encoded: fc.boolean() })
  .map(({ unit, isBase64Encoded }) => ({ body: unit.repeat(HUGE / unit.length), isBase64Encoded }));

/** @param now the time of those events that still have one */
export const malformedEvents = (
  calls: fc.Arbitrary<Call>,
  keys: readonly string[],
  now: () => number,
): fc.Arbitrary<MalformedEvent> =>
  fc.record({ call: calls, key: fc.constantFrom(...keys) }).chain(({ call, key }) => {
    const event = eventOf(call, key, now());
    return fc
      .oneof(
        { weight: 120, arbitrary: damaged(event) },
        { weight: 60, arbitrary: unusualBody(call.json).chain((body) => damaged({ ...event, ...body }, 1)) },
        { weight: 1, arbitrary: hugeBody.map((body) => ({ ...event, ...body })) },
        { weight: 8, arbitrary: unusualJson },
      )
      .map((value) => ({ call, json: jsonTextOf(value) }));
  });
