/** Gateway events from sound to senseless, as JSON text: whatever a platform could pass on to a function. */
import fc from 'fast-check';
import { chooseRoute } from '../../../lib/local/gateway/routes.ts';
import { damaged } from './mutations.ts';
import { jsonTextOf, unusualJson, unusualText } from './unusual-values.ts';
import { type Call, pathOf } from './valid-calls.ts';

/** An event and the call that it was before it was damaged. */
export interface MalformedEvent {
  readonly call: Call;
  readonly path: string;
  readonly json: string;
  /** What was done to it, without values. */
  readonly about: readonly string[];
}

const eventOf = (call: Call, key: string, now: number): object => {
  const path = pathOf(call);
  const body = call.json === undefined ? {} : { body: JSON.stringify(call.json), isBase64Encoded: false };
  const { route } = chooseRoute(call.method, path);
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath: decodeURIComponent(path),
    rawQueryString: new URLSearchParams(Object.fromEntries(call.query)).toString(),
    headers: Object.fromEntries([
      ['x-api-key', key],
      ...(call.json === undefined ? [] : [['content-type', 'application/json']]),
      ...call.headers.map(([name, value]) => [name.toLowerCase(), value]),
    ]),
    requestContext: { http: { method: call.method, path }, requestId: 'a-request', timeEpoch: now },
    pathParameters: call.parameters,
    ...body,
  };
};

/** Bytes of text that a function can be passed at most. */
const HUGE = 6_000_000;

/** Other bodies, and other ways to encode one. */
const unusualBody = (call: Call): fc.Arbitrary<object> => {
  const sound = JSON.stringify(call.json ?? {});
  return fc.oneof(
    { weight: 4, arbitrary: damaged(call.json ?? {}).map(({ value }) => ({ body: jsonTextOf(value) })) },
    { weight: 2, arbitrary: fc.nat(sound.length).map((end) => ({ body: sound.slice(0, end) })) },
    { weight: 2, arbitrary: unusualText.map((body) => ({ body, isBase64Encoded: true })) },
    { weight: 2, arbitrary: fc.constant({ body: Buffer.from(sound).toString('base64'), isBase64Encoded: true }) },
    { weight: 1, arbitrary: fc.constant({ body: sound, isBase64Encoded: true }) },
    {
      weight: 1,
      arbitrary: fc.constant({ body: Buffer.from(sound, 'utf16le').toString('base64'), isBase64Encoded: true }),
    },
    { weight: 1, arbitrary: unusualJson.map((body) => ({ body })) },
  );
};

const hugeBody: fc.Arbitrary<object> = fc
  .constantFrom('x', '[', '{"a":', '[0,', '"\\u0000",', '===')
  .chain((unit) => fc.boolean().map((isBase64Encoded) => ({ body: unit.repeat(HUGE / unit.length), isBase64Encoded })));

const notAnEvent = fc.oneof(fc.constantFrom<unknown>(null, [], {}, '', 'event', 0, true, [{}]), unusualJson);

/** @param now the moment of those events that still have one */
export const malformedEvents = (
  calls: fc.Arbitrary<Call>,
  keys: readonly string[],
  now: () => number,
): fc.Arbitrary<MalformedEvent> =>
  fc.record({ call: calls, key: fc.constantFrom(...keys) }).chain(({ call, key }) => {
    const event = eventOf(call, key, now());
    const path = pathOf(call);
    return fc
      .oneof(
        { weight: 120, arbitrary: damaged(event) },
        {
          weight: 60,
          arbitrary: unusualBody(call).chain((body) =>
            damaged({ ...event, ...body }, 1).map(({ value, about }) => ({ value, about: ['another body', ...about] })),
          ),
        },
        { weight: 1, arbitrary: hugeBody.map((body) => ({ value: { ...event, ...body }, about: ['body of 6 MB'] })) },
        { weight: 8, arbitrary: notAnEvent.map((value) => ({ value, about: ['no event at all'] })) },
      )
      .map(({ value, about }) => ({ call, path, json: jsonTextOf(value), about }));
  });
