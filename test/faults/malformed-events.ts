/** Gateway events from valid to meaningless, as JSON text: whatever a platform could pass to a function. */
import fc from 'fast-check';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { chooseRoute } from '../../lib/local/gateway/routes.ts';
import { recordedExamples } from '../../lib/openapi/examples.ts';

/** A valid request without its key. */
interface Call {
  readonly endpoint: EndpointId | 'not-found';
  readonly method: string;
  /** Encoded. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** An event and the call that it was before it was damaged. */
export interface MalformedEvent {
  readonly call: Call;
  readonly json: string;
}

/** The examples of an endpoint that succeed, about items that exist and with slugs that are mostly free. */
const callsOf = (endpoint: EndpointId, ids: readonly string[]): fc.Arbitrary<Call> => {
  const { method, paths } = endpoints[endpoint];
  const accepted = recordedExamples()
    .of(endpoint)
    .filter(({ status }) => status < 300);
  return fc
    .record({
      request: fc.constantFrom(...accepted.map(({ request }) => request)),
      template: fc.constantFrom(...paths),
      id: fc.constantFrom(...ids),
      number: fc.nat(20_000),
    })
    .map(({ request: { path: given = {}, query = {}, headers = {}, body }, template, id, number }): Call => {
      const parameters: Record<string, string> = 'id' in given ? { id } : given;
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''));
      const json = endpoint === 'create-content' ? { ...(body as object), slug: `slug-${number}` } : body;
      const text = Object.fromEntries(new URLSearchParams(query as Record<string, string>));
      return { endpoint, method, path, parameters, query: text, headers, json };
    });
};

const UNKNOWN_PATH: Call = {
  ...{ endpoint: 'not-found', method: 'PATCH', path: '/v2/vehicle', parameters: {}, query: {}, headers: {} },
};

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
  ...['', ' ', '\0', '\r\nX-Injected: 1', '0', '-1', 'null', 'undefined', 'NaN', '[object Object]', '{}', '"', '"1"'],
  ...['__proto__', 'constructor', '../../etc/passwd', '%00', '%', '%c0%af', '*', "' OR 1=1 --", '<script>alert(1)'],
  ...[
    '\ud800',
    '\udc00x',
    '\ufeff',
    '\u202e',
    'İ',
    'ß',
    '👩‍👩‍👧‍👦',
    '9'.repeat(400),
    'Ä'.repeat(12_000),
    '\\'.repeat(3_000),
  ],
];
const unusualText = fc.oneof(
  fc.constantFrom(...UNUSUAL_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

/** `fromEntries` makes `__proto__` a name like any other. */
const prototypeKeys: fc.Arbitrary<object> = fc
  .tuple(
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON'),
    fc.constantFrom<unknown>({ polluted: true }, { prototype: { polluted: true } }, null, 'polluted', 1),
  )
  .map((entry) => Object.fromEntries([entry]));

const UNUSUAL_VALUES = [
  null,
  true,
  [],
  {},
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  BEYOND_NUMBERS,
  VERY_DEEP,
  Array(3_000).fill(null),
];
const unusualJson = fc.oneof<fc.Arbitrary<unknown>[]>(
  fc.constantFrom<unknown>(...UNUSUAL_VALUES),
  unusualText,
  prototypeKeys,
  fc.jsonValue({ maxDepth: 3 }),
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
  JSON.parse(text, () => {
    count += 1;
  });
  const place = nth % count;
  return JSON.parse(text, (_, inner) => {
    count -= 1;
    return count === place ? apply(inner) : inner;
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
  const encodings = [valid, Buffer.from(valid).toString('base64'), Buffer.from(valid, 'utf16le').toString('base64')];
  return fc.oneof(
    { weight: 2, arbitrary: damaged(json).map((value) => ({ body: jsonTextOf(value) })) },
    { weight: 1, arbitrary: fc.nat(valid.length).map((end) => ({ body: valid.slice(0, end) })) },
    { weight: 1, arbitrary: unusualJson.map((body) => ({ body })) },
    {
      weight: 2,
      arbitrary: fc.oneof(fc.constantFrom(...encodings), unusualText).map((body) => ({ body, isBase64Encoded: true })),
    },
  );
};

const hugeBody = fc
  .tuple(fc.constantFrom('x', '[', '{"a":', '[0,', '"\\u0000",', '==='), fc.boolean())
  .map(([unit, isBase64Encoded]) => ({ body: unit.repeat(HUGE / unit.length), isBase64Encoded }));

/** @param now the time of those events that still have one */
export const malformedEvents = (ids: readonly string[], keys: readonly string[], now: () => number) => {
  const calls = (Object.keys(endpoints) as EndpointId[]).map((endpoint) => callsOf(endpoint, ids));
  return fc
    .tuple(fc.oneof(...calls, fc.constant(UNKNOWN_PATH)), fc.constantFrom(...keys))
    .chain(([call, key]): fc.Arbitrary<MalformedEvent> => {
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
};
