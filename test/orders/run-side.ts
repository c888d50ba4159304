/** Runs the real code of a side up to the responses that it has got. For other responses it begins again. */
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ApiError } from '../../core/problems.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { type EngineResponse, RejectedRequest, responseTo } from '../../local/engine/protocol.ts';
import { enter, type RunningSide, runningSide } from './deterministic.ts';
import { afterWrites, clientOn, NOTHING, perform, type Request, type StoredState } from './engine.ts';
import { type Operation, type Outcome, type Requests, TRY_AGAIN } from './operation.ts';

export interface Call extends Request {
  /** The same in every order in which the side gets its responses. */
  readonly name: string;
}

/** How far a side has come. It depends on the responses alone. */
export interface Progress {
  readonly id: number;
  readonly digit: string;
  readonly responses: readonly { readonly name: string; readonly response: EngineResponse; readonly text: string }[];
  /** Those that may be answered next. */
  readonly calls: readonly Call[];
  /** Of the requests that have ended. */
  readonly outcomes: readonly Outcome[];
  readonly hasEnded: boolean;
  /** How far the side comes with one more response. */
  readonly after: (call: Call, response: EngineResponse) => Promise<Progress>;
}

/** Entries of a page of a scan, so that a check reads at different moments. */
const SCAN_PAGE = 10;
const NOON = Date.parse('2026-06-15T12:00:00.000Z');
const DEADLINE_MS = 10_000;
/** Turns of the loop in which the code goes on, and those after which it has hung. */
const TURNS = 5;
const MAX_TURNS = 1_000_000;
const IN_DOUBT = new Set(['DeadlineExceeded', 'TransactionConflictException', 'TransactionCanceledException']);
const ABANDONED = responseTo(new RejectedRequest('AccessDeniedException', 'The run was abandoned'));

/** One for all sides: the code of one of them runs at a time. */
const db = clientOn(async (request) => runningSide()?.send(request) ?? ABANDONED);

const outcomeOf = async (work: () => Promise<unknown>): Promise<Outcome> => {
  try {
    return { value: JSON.parse(JSON.stringify((await work()) ?? null)) };
  } catch (error) {
    if (error instanceof ApiError) return { error: error.code };
    if (!(error instanceof Error)) return { error: String(error) };
    return { error: IN_DOUBT.has(error.name) ? TRY_AGAIN : `${error.name}: ${error.message}` };
  }
};

const startRun = (digit: string, requests: Requests) => {
  const waiting = new Map<string, Call & { readonly respond: (response: EngineResponse) => void }>();
  const sent = new Map<string, number>();
  const outcomes: Outcome[] = [];
  const hasEnded = () => outcomes.length === requests.length;
  const now = new Date(NOON + digit.charCodeAt(0) * 1_000);

  const send = ({ operation, input: whole }: Request) =>
    new Promise<EngineResponse>((respond) => {
      const input = operation === 'Scan' ? { ...whole, Limit: SCAN_PAGE } : whole;
      const text = `${operation} ${JSON.stringify(input)}`;
      const nth = sent.get(text) ?? 0;
      sent.set(text, nth + 1);
      const name = `${text} ${nth}`;
      waiting.set(name, { name, operation, input, respond });
    });
  const running: RunningSide = { digit, turn: 0, drawn: 0, send };

  const sendAll = async (): Promise<void> => {
    for (const [turn, request] of requests.entries()) {
      // Ids are then the same for the same request, whatever the earlier ones have drawn.
      Object.assign(running, { turn, drawn: 0 });
      const caller = { db, side: digit, moment: { now, deadline: deadlineIn(DEADLINE_MS) }, earlier: outcomes };
      outcomes.push(await outcomeOf(() => request(caller)));
    }
  };

  /** Lets the code run until it only waits for calls: before, it may read a file or wait for the event loop. */
  const runOn = async (work: () => void): Promise<void> => {
    enter(running);
    work();
    for (let turns = 0; turns < TURNS || (turns < MAX_TURNS && !hasEnded() && waiting.size === 0); turns += 1) {
      await setImmediate();
    }
    enter(undefined);
    if (!hasEnded() && waiting.size === 0) throw new Error(`${digit} neither waits for a call nor has ended`);
  };

  const respond = (name: string, response: EngineResponse): Promise<void> => {
    const call = waiting.get(name);
    if (call === undefined) throw new Error(`${digit} did something else with the same responses`);
    waiting.delete(name);
    return runOn(() => call.respond(response));
  };

  return {
    begin: () => runOn(() => void sendAll()),
    respond,
    progress: () => ({
      calls: [...waiting.values()].map(({ name, operation, input }) => ({ name, operation, input })),
      outcomes: [...outcomes],
      hasEnded: hasEnded(),
    }),
    /** Ends the code, so that it deletes its temporary files. */
    abandon: async (): Promise<void> => {
      for (const name of waiting.keys()) await respond(name, ABANDONED);
    },
  };
};

/**
 * A side of a search. Calls that wait at the same time get their responses in any order; the code goes on in the same
 * way then, so that each such order is run only once.
 */
export const sideOf = async (digit: string, { requests, inOrder }: Pick<Operation, 'requests' | 'inOrder'>) => {
  const known = new Map<string, Progress>();
  let run: ReturnType<typeof startRun>;
  /** The progress of `run`. */
  let at: Progress;

  const start = async (responses: Progress['responses']): Promise<void> => {
    run = startRun(digit, requests);
    await run.begin();
    for (const { name, response } of responses) await run.respond(name, response);
  };

  const remember = (key: string, responses: Progress['responses']): Progress => {
    const { calls: waiting, ...come } = run.progress();
    const calls = inOrder ? waiting.slice(0, 1) : waiting;
    const after: Progress['after'] = async ({ name }, response) => {
      const all = [...responses, { name, response, text: hash('sha256', JSON.stringify([name, response])) }];
      const next = all.map(({ text }) => text).sort();
      const earlier = known.get(next.join());
      if (earlier !== undefined) return earlier;
      if (at !== progress) {
        await run.abandon();
        await start(responses);
      }
      await run.respond(name, response);
      return remember(next.join(), all);
    };
    const progress: Progress = { ...come, id: known.size, digit, responses, calls, after };
    at = progress;
    known.set(key, progress);
    return progress;
  };

  await start([]);
  return { beginning: remember('', []), end: () => run.abandon() };
};

/** Answers the calls of one side at once until so many of its requests have ended, and returns them. */
export const advance = async (from: Progress, before: StoredState, turns = Number.POSITIVE_INFINITY) => {
  const calls: Call[] = [];
  let progress = from;
  let stored = before;
  for (;;) {
    const [call] = progress.calls;
    if (call === undefined || progress.outcomes.length >= turns) return { progress, stored, calls };
    const { response, writes } = await perform(stored, call);
    calls.push(call);
    stored = afterWrites(stored, writes);
    progress = await progress.after(call, response);
  }
};

/** Node evaluates modules that await something at the same time; the code of one side may run. */
const oneAtATime = pLimit(1);

/** Runs requests by themselves on what is stored: their outcomes, and what is stored then. */
export const alone = (digit: string, requests: Requests, initial = NOTHING) =>
  oneAtATime(async () => {
    const { beginning } = await sideOf(digit, { requests });
    const { progress, stored } = await advance(beginning, initial);
    return { outcomes: progress.outcomes, stored };
  });
