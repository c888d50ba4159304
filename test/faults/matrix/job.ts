/** All scenarios under one kind of fault: what was answered, what was stored, and which expectations that violates. */
import assert, { AssertionError } from 'node:assert/strict';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { hashKey, keyIdOf } from '../../../core/access/api-key.ts';
import { PLANS, windowAt } from '../../../core/access/plans.ts';
import { checkContent } from '../../../lib/content-maintenance/content-check.ts';
import type { Reply, TestApi } from '../../support/api.ts';
import { NOON } from '../../support/clock.ts';
import { onNthCall } from '../../support/fault-choosers.ts';
import type { DatabaseCall } from '../../support/fault-proxy.ts';
import { startCanaryApi } from '../canaries/canary-api.ts';
import { type PreparedRequest, scenarios } from './scenarios.ts';
import { kinds, planOf, roundsFor, type Target } from './targets.ts';

export const EXPECTATIONS = {
  answer: 'the expected response, as the OpenAPI document describes it',
  deadline: 'a response within 9.5 s: Lambda’s 10 s less 1 s, and 0.5 s for the local gateway',
  rateLimit: 'rate limit headers match the counter; a request counts once, and at most once more per fault',
  consistent: 'content check finds nothing',
  recovery: 'the same request succeeds within 5 s after the fault ends',
} as const;

export type ExpectationId = keyof typeof EXPECTATIONS;

/** Milliseconds. */
const DEADLINE = 9_000 + 500;
const RECOVERY = 5_000;
/** Repetitions of a round that the machine disturbed, and milliseconds of a pause that does: the SDK waits 300 for a connection. */
const MAX_REPEATS = 3;
const MAX_STALL = 200;
const NANOSECONDS = 1e6;

/** A target with its request, the response under the fault and what is wrong with it. */
interface Attempt extends Target {
  readonly key: string;
  readonly request: PreparedRequest;
  /** One of them is in every database request made for it. */
  readonly marks: readonly string[];
  readonly violations: { readonly expectation: ExpectationId; readonly what: string }[];
  /** Undefined when there was none, or one that violates the OpenAPI document. */
  reply: Reply | undefined;
  milliseconds: number;
  recoveryMs: number;
}

const note = async (
  { violations }: Attempt,
  expectation: ExpectationId,
  check: () => void | Promise<void>,
): Promise<void> => {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    violations.push({ expectation, what: error.message });
  }
};

const answer = async ({ request, violations }: Attempt): Promise<Reply | undefined> => {
  try {
    return await request.send();
  } catch (error) {
    violations.push({ expectation: 'answer', what: String(error) });
    return undefined;
  }
};

const LIMIT = PLANS.premium.requestsPerWindow;
const WINDOW = windowAt(new Date(NOON));

const requireRateLimit = async (api: TestApi, key: string, { status, headers }: Reply, knowsCaller: boolean) => {
  const keyId = keyIdOf(hashKey(key));
  const counted = (await api.usage.countsSince(keyId, WINDOW.start))[0]?.used ?? 0;
  const actual = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  const remaining = knowsCaller && status !== 429 ? LIMIT - counted : 0;
  assert.deepEqual(actual, [knowsCaller ? LIMIT : 0, remaining, WINDOW.end].map(String), 'wrong rate limit headers');
  if (status === 429) assert.equal(headers.get('retry-after'), String(WINDOW.end - Math.floor(NOON / 1_000)));
  const increments = api.faults.calls.filter(
    ({ operation, tables, body }) =>
      operation === 'UpdateItem' && tables.includes(api.engine.names.usage) && body.includes(keyId),
  );
  assert.ok(status >= 300 || counted > 0, 'answered without being counted');
  assert.ok(counted <= 1 + increments.filter(({ fault }) => fault !== undefined).length, `counted ${counted} times`);
};

/** Checks the response and what is stored while the fault lasts. */
const judge = async (api: TestApi, attempt: Attempt, isInjected: boolean): Promise<void> => {
  const { reply, milliseconds, request, expected } = attempt;
  await note(attempt, 'answer', () => assert.ok(isInjected, 'the fault was not injected'));
  await note(attempt, 'deadline', () => assert.ok(milliseconds <= DEADLINE, `${Math.round(milliseconds)} ms`));
  if (reply === undefined) return;
  const {
    status,
    knowsCaller,
    requireBody = (given) => request.requireExpected(given, false),
  } = expected(request.status);
  await note(attempt, 'answer', () => {
    assert.equal(reply.status, status);
    requireBody(reply);
  });
  await note(attempt, 'rateLimit', () => requireRateLimit(api, attempt.key, reply, knowsCaller));
};

/** Repeats the request after the fault has ended until it succeeds. */
const recover = async (attempt: Attempt, endedAt: number): Promise<void> => {
  const { request } = attempt;
  while (performance.now() - endedAt < RECOVERY) {
    const reply = await answer(attempt);
    attempt.recoveryMs = performance.now() - endedAt;
    if (reply === undefined) continue;
    if (reply.status === request.repeatedStatus) return;
    if (reply.status !== request.status) continue;
    return note(attempt, 'recovery', () => request.requireExpected(reply, true));
  }
  attempt.violations.push({ expectation: 'recovery', what: 'no normal answer' });
};

const requireConsistent = async (api: TestApi, [first]: readonly Attempt[]): Promise<void> => {
  const { inconsistencies } = await checkContent(api.engine.client, api.engine.names.content);
  if (first) await note(first, 'consistent', () => assert.deepEqual(inconsistencies, []));
};

/** For whom a database request is made. Only a creation makes one that names nobody: for a position in the list of all items. */
const ownerOf = (attempts: readonly Attempt[], { body }: DatabaseCall): Attempt | undefined =>
  attempts.find(({ marks }) => marks.some((mark) => body.includes(mark))) ??
  attempts.find(({ scenario }) => scenario.endpoint === 'create-content');

const prepare = async (api: TestApi, newWord: () => string, target: Target): Promise<Attempt> => {
  const word = newWord();
  const key = await api.newKey({ name: word });
  const request = await target.scenario.prepare(api, word, key);
  const marks = [word, word.toUpperCase(), keyIdOf(hashKey(key)), ...(request.ids ?? [])];
  return { ...target, key, request, marks, violations: [], reply: undefined, milliseconds: 0, recoveryMs: 0 };
};

/** Sends all requests of a round at once, and again after lasting faults have ended. */
const runRound = async (
  api: TestApi,
  newWord: () => string,
  { fault }: (typeof kinds)[number],
  round: readonly Target[],
): Promise<Attempt[]> => {
  const attempts = await Promise.all(round.map((target) => prepare(api, newWord, target)));
  const choosers = new Map(
    attempts.map((each) => [each, each.nth === undefined ? () => fault : onNthCall(each.nth, fault)]),
  );
  api.faults.reset();
  api.faults.inject((call) => {
    const owner = ownerOf(attempts, call);
    return owner?.point.includes(call) ? choosers.get(owner)?.(call) : undefined;
  });
  await Promise.all(
    attempts.map(async (attempt) => {
      const started = performance.now();
      attempt.reply = await answer(attempt);
      attempt.milliseconds = performance.now() - started;
    }),
  );
  const hit = api.faults.calls.filter((call) => call.fault !== undefined).map((call) => ownerOf(attempts, call));
  for (const attempt of attempts) await judge(api, attempt, hit.includes(attempt));
  await requireConsistent(api, attempts);
  api.faults.inject(() => undefined);
  const lasting = attempts.filter(({ nth }) => nth === undefined);
  const endedAt = performance.now();
  await Promise.all(lasting.map((attempt) => recover(attempt, endedAt)));
  await requireConsistent(api, lasting);
  return attempts;
};

/**
 * Service, proxy and engine share this process: when it paused, or a client gave up on a response that no fault delayed,
 * the machine added a fault. Violations then mean nothing and the round is repeated with new records.
 */
const undisturbed = async (api: TestApi, round: () => Promise<Attempt[]>): Promise<Attempt[]> => {
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  for (let repeats = 0; ; repeats += 1) {
    stalls.reset();
    const attempts = await round();
    const isDisturbed = stalls.max / NANOSECONDS > MAX_STALL || api.faults.calls.some(({ isAbandoned }) => isAbandoned);
    const isViolated = attempts.some(({ violations }) => violations.length > 0);
    if (isViolated && isDisturbed && repeats < MAX_REPEATS) continue;
    stalls.disable();
    return attempts;
  }
};

export type Cell = ReturnType<typeof cellOf>;

const cellOf = ({ scenario, point, nth, reply, milliseconds, recoveryMs, violations }: Attempt, kind: string) => ({
  scenario: scenario.name,
  endpoint: scenario.endpoint,
  kind,
  point: point.name,
  isPersistent: nth === undefined,
  status: reply?.status,
  milliseconds,
  recoveryMs,
  violations,
});

/** For a process of its own (`forkCall`), whose output is the log of the service. */
export const runJob = async (kindName: string, isLong: boolean) => {
  const kind = kinds.find(({ name }) => name === kindName);
  if (kind === undefined) throw new Error(`no kind of fault ${kindName}`);
  const { api, newWord, sent } = await startCanaryApi();
  const plans: ReturnType<typeof planOf>[] = [];
  for (const scenario of scenarios) {
    const word = newWord();
    const request = await scenario.prepare(api, word, await api.newKey({ name: word }));
    api.faults.reset();
    const reply = await request.send();
    assert.equal(reply.status, request.status, `${scenario.name} without a fault: ${reply.text}`);
    request.requireExpected(reply, false);
    plans.push(planOf(api, scenario, api.faults.calls));
  }
  const cells: Cell[] = [];
  for (const round of roundsFor(plans, kind, isLong)) {
    const attempts = await undisturbed(api, () => runRound(api, newWord, kind, round));
    cells.push(...attempts.map((attempt) => cellOf(attempt, kind.name)));
  }
  await api.stop();
  return { cells, sent: sent() };
};
