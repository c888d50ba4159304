/** One kind of fault, at one point of one kind of request: what came of it. */
import { AssertionError } from 'node:assert';
import { performance } from 'node:perf_hooks';
import { hashKey, keyIdOf } from '../../../functions/access/api-key.ts';
import { windowAt } from '../../../functions/access/plans.ts';
import { contentCheck } from '../../../lib/content-maintenance/content-check.ts';
import type { Reply, TestApi } from '../../support/api.ts';
import { NOON } from '../../support/clock.ts';
import { requireRateLimit } from './expected.ts';
import type { InjectedFault } from './rounds.ts';
import type { PreparedRequest } from './scenario.ts';

/** Of every cell. */
export const EXPECTATIONS = {
  answer: 'the expected response, as the OpenAPI document describes it',
  deadline: 'a response within 9.5 s: Lambda’s 10 s less 1 s, and 0.5 s for the local gateway',
  rateLimit: 'rate limit headers match the counter; a request counts once, and at most once more per fault',
  whole: 'an acknowledged change is stored, a failed one is applied completely or not at all',
  missing: 'nothing that exists is reported as not found',
  recovery: 'the same request succeeds within 5 s after the fault ends',
} as const;

export type ExpectationId = keyof typeof EXPECTATIONS;

interface Violation {
  readonly expectation: ExpectationId;
  readonly what: string;
}

/** Milliseconds. */
const DEADLINE = 9_000 + 500;
const RECOVERY = 5_000;

/** One request under a fault, from its answer to the recovery after it; what it breaks is added as it is found. */
export interface Attempt {
  readonly injected: InjectedFault;
  /** Undefined when there was no answer, or one that breaks the OpenAPI document. */
  readonly reply: Reply | undefined;
  readonly milliseconds: number;
  readonly violations: Violation[];
  /** From the end of a lasting fault to the normal answer. */
  recoveryMs?: number;
}

const note = async (
  violations: Violation[],
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

/** A violations contract or no answer at all is what this is here to find: told, not thrown. */
const answerOf = async (request: PreparedRequest, violations: Violation[]): Promise<Reply | undefined> => {
  try {
    return await request.send();
  } catch (error) {
    violations.push({ expectation: 'answer', what: String(error) });
    return undefined;
  }
};

const NOT_FOUND = /"(VEHICLE|COMPLIANCE|CONTENT)_NOT_FOUND"/;

const requireNotMissing = async (request: PreparedRequest, reply: Reply, violations: Violation[]): Promise<void> => {
  const [code] = NOT_FOUND.exec(reply.text) ?? [];
  if (code && (await request.isStored())) violations.push({ expectation: 'missing', what: `${code} of what exists` });
};

/** Sends the request while its fault is on. */
export const attempt = async (injected: InjectedFault): Promise<Attempt> => {
  const violations: Violation[] = [];
  const started = performance.now();
  const reply = await answerOf(injected.request, violations);
  return { injected, reply, milliseconds: performance.now() - started, violations };
};

/** Lets nobody believe in a fault that hit nothing. */
export const requireInjected = (isInjected: boolean, { violations }: Attempt): void => {
  if (!isInjected) violations.push({ expectation: 'answer', what: 'the fault was not injected' });
};

const requireCountedOnce = (
  api: TestApi,
  { keyId, counted, isServed }: { keyId: string; counted: number; isServed: boolean },
  violations: Violation[],
): void => {
  const raises = api.faults.calls.filter(
    ({ tables, body }) => tables.includes(api.engine.names.usage) && body.includes(keyId),
  );
  const faults = raises.filter(({ fault }) => fault !== undefined).length;
  if (isServed && counted === 0) violations.push({ expectation: 'rateLimit', what: 'answered without being counted' });
  if (counted > 1 + faults)
    violations.push({ expectation: 'rateLimit', what: `counted ${counted} times, ${faults} faults` });
};

/** Judges the answer that came under the fault; to be called before the fault ends. */
export const judge = async (api: TestApi, { injected, reply, milliseconds, violations }: Attempt): Promise<void> => {
  if (milliseconds > DEADLINE) violations.push({ expectation: 'deadline', what: `${Math.round(milliseconds)} ms` });
  if (reply === undefined) return;
  const { request } = injected;
  const { status, knowsCaller, requireBody = request.requireExpected } = injected.expected(request.status);
  if (reply.status === status) await note(violations, 'answer', () => requireBody(reply));
  else violations.push({ expectation: 'answer', what: `${reply.status} instead of ${status}` });
  const keyId = keyIdOf(hashKey(request.key));
  const counted = await api.usage.count(keyId, windowAt(new Date(NOON)));
  await note(violations, 'rateLimit', () => requireRateLimit(reply, knowsCaller, counted));
  requireCountedOnce(api, { keyId, counted, isServed: reply.status < 300 }, violations);
  await requireNotMissing(request, reply, violations);
  await note(violations, 'whole', () => request.requireWhole([reply]));
};

/** A deletion that was done already, whatever its answer, is not there to be done again. */
const isNormal = async (request: PreparedRequest, { status }: Reply): Promise<boolean> =>
  status === request.status || (status === 404 && !(await request.isStored()));

/** Repeats the request after the fault has ended until it gets its normal answer, for 5 s. */
export const recover = async (made: Attempt, endedAt: number): Promise<void> => {
  const { violations, reply: first } = made;
  const { request } = made.injected;
  while (performance.now() - endedAt < RECOVERY) {
    const reply = await answerOf(request, violations);
    const recoveryMs = performance.now() - endedAt;
    if (reply === undefined) continue;
    await requireNotMissing(request, reply, violations);
    if (recoveryMs > RECOVERY || !(await isNormal(request, reply))) continue;
    if (reply.status === request.status) await note(violations, 'recovery', () => request.requireExpected(reply));
    await note(violations, 'whole', () => request.requireWhole([...(first ? [first] : []), reply]));
    made.recoveryMs = recoveryMs;
    return;
  }
  violations.push({ expectation: 'recovery', what: 'no normal answer' });
};

/** Holds all of content against itself: items, slugs, lists, counters. */
export const requireSound = async (api: TestApi, [first]: readonly Attempt[]): Promise<void> => {
  const { inconsistencies } = await contentCheck(api.engine.client, api.engine.names.content).check();
  if (inconsistencies.length > 0)
    first?.violations.push({ expectation: 'whole', what: JSON.stringify(inconsistencies) });
};

/** An attempt as it is told to other processes. */
export interface Cell {
  readonly scenario: string;
  readonly kind: string;
  readonly isPersistent: boolean;
  readonly point: string;
  /** 0 when there was no answer, or one that breaks the OpenAPI document. */
  readonly status: number;
  readonly milliseconds: number;
  readonly recoveryMs?: number;
  readonly violations: readonly Violation[];
}

export const cellOf = (made: Attempt, kind: string, isPersistent: boolean): Cell => ({
  scenario: made.injected.scenario.name,
  kind,
  isPersistent,
  point: made.injected.point.name,
  status: made.reply?.status ?? 0,
  milliseconds: made.milliseconds,
  ...(made.recoveryMs === undefined ? {} : { recoveryMs: made.recoveryMs }),
  violations: made.violations,
});
