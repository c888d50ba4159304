/** One kind of fault, at one place of one kind of request: what came of it. */
import { AssertionError } from 'node:assert';
import { performance } from 'node:perf_hooks';
import { hashKey, keyIdOf } from '../../../functions/access/api-key.ts';
import { windowAt } from '../../../functions/access/window.ts';
import { contentCheck } from '../../../lib/content-maintenance/content-check.ts';
import type { Reply, TestApi } from '../../support/api.ts';
import { NOON } from '../../support/clock.ts';
import { requireRateLimit } from './promised.ts';
import type { Struck } from './rounds.ts';
import type { Trial } from './trial.ts';

/** What is promised of every cell. */
export const PROMISES = {
  answer: 'The promised answer, by the OpenAPI document and with every promised header',
  deadline: 'Each answer within 9 s, Lambda’s 10 s less a margin of 1 s (0.5 s more for this machine’s gateway)',
  rateLimit:
    'Where the caller stands is told as the counter has it; a request counts once, plus once per fault at most',
  whole: 'What was acknowledged is stored as acknowledged, what failed was done whole or not at all',
  missing: 'Nothing that exists is reported as missing',
  recovery: 'The same request gets its normal answer within 5 s after the fault ends',
} as const;

export type PromiseId = keyof typeof PROMISES;

interface Broken {
  readonly promise: PromiseId;
  readonly what: string;
}

/** Milliseconds. */
const DEADLINE = 9_000 + 500;
const RECOVERY = 5_000;

/** One request under a fault, from its answer to the recovery after it; what it breaks is added as it is found. */
export interface Attempt {
  readonly struck: Struck;
  /** Undefined when there was no answer, or one that breaks the OpenAPI document. */
  readonly reply: Reply | undefined;
  readonly milliseconds: number;
  readonly broken: Broken[];
  /** From the end of a lasting fault to the normal answer. */
  recoveryMs?: number;
}

const note = async (broken: Broken[], promise: PromiseId, check: () => void | Promise<void>): Promise<void> => {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    broken.push({ promise, what: error.message });
  }
};

/** A broken contract or no answer at all is what this is here to find: told, not thrown. */
const answerOf = async (trial: Trial, broken: Broken[]): Promise<Reply | undefined> => {
  try {
    return await trial.send();
  } catch (error) {
    broken.push({ promise: 'answer', what: String(error) });
    return undefined;
  }
};

const NOT_FOUND = /"(VEHICLE|COMPLIANCE|CONTENT)_NOT_FOUND"/;

const requireNotMissing = async (trial: Trial, reply: Reply, broken: Broken[]): Promise<void> => {
  const [code] = NOT_FOUND.exec(reply.text) ?? [];
  if (code && (await trial.isStored())) broken.push({ promise: 'missing', what: `${code} of what exists` });
};

/** Sends the request while its fault is on. */
export const attempt = async (struck: Struck): Promise<Attempt> => {
  const broken: Broken[] = [];
  const started = performance.now();
  const reply = await answerOf(struck.trial, broken);
  return { struck, reply, milliseconds: performance.now() - started, broken };
};

/** Lets nobody believe in a fault that hit nothing. */
export const requireStruck = (isStruck: boolean, { broken }: Attempt): void => {
  if (!isStruck) broken.push({ promise: 'answer', what: 'the fault did not strike' });
};

const requireCountedOnce = (
  api: TestApi,
  { keyId, counted, isServed }: { keyId: string; counted: number; isServed: boolean },
  broken: Broken[],
): void => {
  const raises = api.faults.calls.filter(
    ({ tables, body }) => tables.includes(api.engine.names.usage) && body.includes(keyId),
  );
  const faults = raises.filter(({ fault }) => fault !== undefined).length;
  if (isServed && counted === 0) broken.push({ promise: 'rateLimit', what: 'answered without being counted' });
  if (counted > 1 + faults) broken.push({ promise: 'rateLimit', what: `counted ${counted} times, ${faults} faults` });
};

/** Judges the answer that came under the fault; to be called before the fault ends. */
export const judge = async (api: TestApi, { struck, reply, milliseconds, broken }: Attempt): Promise<void> => {
  if (milliseconds > DEADLINE) broken.push({ promise: 'deadline', what: `${Math.round(milliseconds)} ms` });
  if (reply === undefined) return;
  const { trial } = struck;
  const { status, knowsCaller, requireBody = trial.requirePromised } = struck.promised(trial.status);
  if (reply.status === status) await note(broken, 'answer', () => requireBody(reply));
  else broken.push({ promise: 'answer', what: `${reply.status} instead of ${status}` });
  const keyId = keyIdOf(hashKey(trial.key));
  const counted = await api.usage.count(keyId, windowAt(new Date(NOON)));
  await note(broken, 'rateLimit', () => requireRateLimit(reply, knowsCaller, counted));
  requireCountedOnce(api, { keyId, counted, isServed: reply.status < 300 }, broken);
  await requireNotMissing(trial, reply, broken);
  await note(broken, 'whole', () => trial.requireWhole([reply]));
};

/** A deletion that was done already, whatever its answer, is not there to be done again. */
const isNormal = async (trial: Trial, { status }: Reply): Promise<boolean> =>
  status === trial.status || (status === 404 && !(await trial.isStored()));

/** Repeats the request after the fault has ended until it gets its normal answer, for 5 s. */
export const recover = async (made: Attempt, endedAt: number): Promise<void> => {
  const { broken, reply: first } = made;
  const { trial } = made.struck;
  while (performance.now() - endedAt < RECOVERY) {
    const reply = await answerOf(trial, broken);
    const recoveryMs = performance.now() - endedAt;
    if (reply === undefined) continue;
    await requireNotMissing(trial, reply, broken);
    if (recoveryMs > RECOVERY || !(await isNormal(trial, reply))) continue;
    if (reply.status === trial.status) await note(broken, 'recovery', () => trial.requirePromised(reply));
    await note(broken, 'whole', () => trial.requireWhole([...(first ? [first] : []), reply]));
    made.recoveryMs = recoveryMs;
    return;
  }
  broken.push({ promise: 'recovery', what: 'no normal answer' });
};

/** Holds all of content against itself: items, slugs, lists, counters. */
export const requireSound = async (api: TestApi, [first]: readonly Attempt[]): Promise<void> => {
  const { inconsistencies } = await contentCheck(api.engine.client, api.engine.names.content).check();
  if (inconsistencies.length > 0) first?.broken.push({ promise: 'whole', what: JSON.stringify(inconsistencies) });
};

/** An attempt as it is told to other processes. */
export interface Cell {
  readonly scenario: string;
  readonly kind: string;
  readonly isLasting: boolean;
  readonly place: string;
  /** 0 when there was no answer, or one that breaks the OpenAPI document. */
  readonly status: number;
  readonly milliseconds: number;
  readonly recoveryMs?: number;
  readonly broken: readonly Broken[];
}

export const cellOf = (made: Attempt, kind: string, isLasting: boolean): Cell => ({
  scenario: made.struck.scenario.name,
  kind,
  isLasting,
  place: made.struck.place.name,
  status: made.reply?.status ?? 0,
  milliseconds: made.milliseconds,
  ...(made.recoveryMs === undefined ? {} : { recoveryMs: made.recoveryMs }),
  broken: made.broken,
});
