import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import pLimit from 'p-limit';
import { endpoints } from '../../functions/endpoints/table.ts';
import { endpoint as notFound } from '../../functions/not-found/endpoint.ts';
import { inconsistenciesOf } from '../support/content.ts';
import { type ChooseFault, onNthCall } from '../support/fault-choosers.ts';
import { type DatabaseCall, type Fault, isApplicable } from '../support/fault-proxy.ts';
import { catchOutput, nameOf, type Reply, useApi } from '../support/use-api.ts';
import { canaries, leaksIn, linesIn } from './log.ts';
import { prepare, SCENARIO_PLANS, type Scenario, scenarios } from './scenarios.ts';
import { bySize, TIMEOUT_MS } from './size.ts';

process.env.POWERTOOLS_METRICS_NAMESPACE = 'Canaries';

const isLong = bySize(false, true);
/** Requests at once: they mostly wait. */
const CONCURRENCY = 16;
/** Milliseconds: Lambda's 10 s less 1 s, and 0.5 s for the local gateway. */
const DEADLINE = 9_000 + 500;
const RECOVERY = 5_000;
/**
 * A machine that pauses for longer than the service waits for a response adds a fault: the request is then sent again,
 * with new records.
 */
const MAX_REPEATS = 5;
/** The service still waits for a response (1 s). */
const SLOW: Fault = { slowMs: 400 };
/** Longer than the service waits for a response, though the request is applied. */
const TOO_SLOW: Fault = { slowMs: 1_500 };

/** Every kind of fault after which a retry helps. Cancelled transactions: test/unit/aws/retries.test.ts. */
const faults: readonly Fault[] = [
  ...(['throttle', 'error', 'hang', 'resetBefore', 'resetAfter', 'errorAfter', 'truncate', 'partial'] as const),
  ...[SLOW, TOO_SLOW],
];
/** Requests succeed even while these last. */
const isHidden = (fault: Fault): boolean => fault === 'partial' || (typeof fault === 'object' && fault !== TOO_SLOW);
/** The only faults that a small run injects at each point: to the code, every other one looks like one of these. */
const AT_EACH_POINT: readonly Fault[] = ['throttle', 'error', 'hang', 'partial'];

/** The database requests of a scenario on the same tables with the same operation, or all of them. */
interface Point {
  readonly scenario: Scenario;
  readonly name: string;
  readonly calls: readonly DatabaseCall[];
}
const EVERYWHERE = 'everywhere';

const api = useApi(undefined, { logLevel: 'DEBUG', plans: SCENARIO_PLANS });
const newCanary = canaries();
const keys: string[] = [];
const sent = { requests: 0, failures: 0, slowestMs: 0 };
let written: readonly string[];
let points: readonly Point[];

/** By what its database requests contain, the fault of each request. */
const choosers = new Map<string, ChooseFault>();
const MARKS = /zqkwvj\w{3}|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{20}\b/gi;
const marksIn = ({ body }: DatabaseCall): string[] => (body.match(MARKS) ?? []).map((mark) => mark.toLowerCase());
const choose: ChooseFault = (call) => {
  const owner = marksIn(call).find((mark) => choosers.has(mark));
  return choosers.get(owner ?? '')?.(call);
};

const prepared = async (scenario: Scenario) => {
  const request = await prepare(api, scenario, newCanary());
  keys.push(request.key);
  const send = async (): Promise<Reply> => {
    sent.requests += 1;
    const reply = await request.send();
    if (reply.status === 500) sent.failures += 1;
    return reply;
  };
  return { ...request, send };
};

const requireNormal = ({ status = 200 }: Scenario, body: object | undefined, reply: Reply): void => {
  assert.equal(reply.status, status);
  if (body) assert.partialDeepStrictEqual(reply.body, body);
};

/** The response while a fault lasts (docs/contract.md#every-response). A batch of several: test/api/lookups.test.ts. */
const requireFailed = (fault: Fault, { name }: Point, { status }: Reply): void => {
  assert.equal(status, fault === 'throttle' && name === 'UpdateItem usage' ? 429 : 500);
};

/** Repeats a request after its fault has ended until it succeeds. */
const requireRecovery = async ({ status = 200, repeatedStatus }: Scenario, send: () => Promise<Reply>) => {
  const ended = performance.now();
  for (;;) {
    const reply = await send();
    const took = performance.now() - ended;
    assert.ok(took < RECOVERY, `still ${reply.status} after ${Math.round(took)} ms`);
    if (reply.status === status || reply.status === repeatedStatus) return;
  }
};

/** `nth`: which request at the point fails, from 1; undefined: all, until the response is there. */
type Attempt = readonly [fault: Fault, point: Point, nth: number | undefined];

const attempt = async ([fault, point, nth]: Attempt): Promise<void> => {
  const { scenario, name } = point;
  const { marks, send, body } = await prepared(scenario);
  const chosen = nth === undefined ? () => fault : onNthCall(nth, fault);
  let isInjected = false;
  const chooser: ChooseFault = (call) => {
    const found = name === EVERYWHERE || name === nameOf(call, api.engine.names) ? chosen(call) : undefined;
    isInjected ||= found !== undefined && isApplicable(found, call);
    return found;
  };
  for (const mark of marks) choosers.set(mark, chooser);
  const started = performance.now();
  const reply = await send();
  const took = performance.now() - started;
  for (const mark of marks) choosers.delete(mark);
  assert.ok(isInjected, 'the fault was not injected');
  assert.ok(took <= DEADLINE, `${Math.round(took)} ms`);
  sent.slowestMs = Math.max(sent.slowestMs, took);
  if (nth !== undefined || isHidden(fault)) requireNormal(scenario, body, reply);
  else requireFailed(fault, point, reply);
  if (nth === undefined) await requireRecovery(scenario, send);
};

const violation = async (given: Attempt): Promise<string[]> => {
  for (let repeats = 0; ; repeats += 1) {
    try {
      await attempt(given);
      return [];
    } catch (error) {
      const [fault, { scenario, name }, nth] = given;
      if (repeats === MAX_REPEATS)
        return [`${JSON.stringify(fault)}, ${scenario.endpoint}, ${name}, ${nth ?? 'lasting'}: ${error}`];
    }
  }
};

const violations = async (attempts: readonly Attempt[]): Promise<string[]> => {
  expect(new Set(attempts.map(([fault]) => fault))).toEqual(new Set(faults));
  api.faults.inject(choose);
  return (await pLimit(CONCURRENCY).map(attempts, violation)).flat();
};

const pointsFor = (fault: Fault, isOnce: boolean) => {
  // Once, a lost response must not lead to a second change.
  const isAtEach = isLong || AT_EACH_POINT.includes(fault) || (isOnce && fault === 'resetAfter');
  const tried = points.filter(({ name }) => (name === EVERYWHERE ? !isOnce || !isAtEach : isAtEach));
  return tried.filter(({ calls }) => calls.some((call) => isApplicable(fault, call)));
};

beforeAll(async () => {
  written = catchOutput();
  points = (
    await Array.fromAsync(scenarios, async (scenario): Promise<Point[]> => {
      const { marks, send, body } = await prepared(scenario);
      api.faults.reset();
      requireNormal(scenario, body, await send());
      const calls = api.faults.calls.filter((call) => marksIn(call).some((mark) => marks.includes(mark)));
      const named = [...Map.groupBy(calls, (call) => nameOf(call, api.engine.names))].map(([name, own]) => ({
        scenario,
        name,
        calls: own,
      }));
      return [...named, { scenario, name: EVERYWHERE, calls }];
    })
  ).flat();
}, TIMEOUT_MS);
afterAll(() => {
  jest.restoreAllMocks();
  // For docs/testing.md#what-the-fault-tests-have-shown.
  if (isLong) process.stdout.write(`${JSON.stringify(sent)}\n`);
});

it('Every endpoint has a scenario', () => {
  const tried = new Set(scenarios.map(({ endpoint }) => endpoint));
  expect(tried).toEqual(new Set([...Object.keys(endpoints), notFound.id]));
});

/** Those that happen once come first: the SDK saves its retries after many have failed. */
it(
  'Every endpoint succeeds after one fault at any operation on any table',
  async () => {
    const attempts = faults.flatMap((fault) =>
      pointsFor(fault, true).flatMap((point) =>
        (isLong ? point.calls : [0]).map((_, nth): Attempt => [fault, point, nth + 1]),
      ),
    );
    expect(await violations(attempts)).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'Every endpoint responds as documented, in time, while a fault lasts, and succeeds when it has ended',
  async () => {
    const attempts = faults.flatMap((fault) =>
      pointsFor(fault, false).map((point): Attempt => [fault, point, undefined]),
    );
    expect(await violations(attempts)).toEqual([]);
  },
  TIMEOUT_MS,
);

it('Content is consistent afterwards', async () => {
  expect(await inconsistenciesOf(api.engine.client, api.engine.names.content)).toEqual([]);
});

it('The log contains one line per request, one per failure, and no value of a caller or a record and no key', () => {
  const { requests, failures } = sent;
  expect(failures).toBeGreaterThan(0);
  expect(leaksIn(written.join(''), keys)).toEqual([]);
  const lost = written.join('').split('"LostUnits":').length - 1;
  expect(linesIn(written.join(''))).toEqual({ request: requests, failure: failures + lost });
});
