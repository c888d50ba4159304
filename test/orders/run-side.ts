/** Runs the real code of a side as far as the responses that it has got, and from its beginning for other responses. */
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type EngineResponse, RejectedRequest, responseTo } from '../../lib/local/engine/protocol.ts';
import { callerOf, type Outcome, type Requests } from './caller.ts';
import { afterWrites, clientOn, NOTHING, perform, type Request, type StoredState } from './engine.ts';
import { endPause, enter, newSurroundings } from './surroundings.ts';

/** A call that waits for its response. */
export interface Call extends Request {
  /** The same in every order in which the side gets its responses. */
  readonly name: string;
}

/** How far a side has come. It depends on the responses alone. */
export interface Progress {
  readonly id: number;
  readonly responses: readonly { readonly name: string; readonly response: EngineResponse; readonly text: string }[];
  readonly calls: readonly Call[];
  /** Of the requests that have ended. */
  readonly outcomes: readonly Outcome[];
  readonly hasEnded: boolean;
}

/** Entries of a page of a scan, so that a check reads at different moments. */
const SCAN_PAGE = 10;

const ABANDONED = responseTo(new RejectedRequest('AccessDeniedException', 'The run was abandoned'));

interface Waiting extends Call {
  readonly respond: (response: EngineResponse) => void;
}

let present: { readonly add: (request: Request) => Promise<EngineResponse> } | undefined;
/** One for all runs: only one of them runs at a time. */
const client = clientOn((request) => present?.add(request) ?? Promise.resolve(ABANDONED));

const startRun = (side: string, requests: Requests) => {
  const surroundings = newSurroundings(side);
  const waiting = new Map<string, Waiting>();
  const outcomes: Outcome[] = [];
  const calls = new Map<string, number>();
  let hasEnded = false;
  const add = ({ operation, input }: Request) =>
    new Promise<EngineResponse>((respond) => {
      const limited = operation === 'Scan' ? { ...input, Limit: SCAN_PAGE } : input;
      const text = `${operation} ${JSON.stringify(limited)}`;
      const nth = calls.get(text) ?? 0;
      calls.set(text, nth + 1);
      const name = `${text} ${nth}`;
      waiting.set(name, { name, operation, input: limited, respond });
    });

  /** Lets the code run until it waits for calls only. Without real input and output it needs no more than this turn of the loop. */
  const settle = async (): Promise<void> => {
    enter(surroundings);
    present = { add };
    do await setImmediate();
    while (!hasEnded && endPause(surroundings));
    enter(undefined);
    present = undefined;
    if (!hasEnded && waiting.size === 0) throw new Error(`${side} neither waits for a call nor has ended`);
  };

  const begin = (): Promise<void> => {
    enter(surroundings);
    const send = callerOf(side, surroundings, client, requests);
    const all = async (): Promise<void> => {
      for (const turn of requests.keys()) outcomes.push(await send(turn, outcomes));
      hasEnded = true;
    };
    void all();
    return settle();
  };

  const respond = (name: string, response: EngineResponse): Promise<void> => {
    const call = waiting.get(name);
    if (call === undefined) throw new Error(`${side} did something else with the same responses`);
    waiting.delete(name);
    call.respond(response);
    return settle();
  };

  return {
    begin,
    respond,
    progress: () => ({
      calls: [...waiting.values()].map(({ name, operation, input }) => ({ name, operation, input })),
      outcomes: [...outcomes],
      hasEnded,
    }),
    /** Ends the code, so that it deletes its temporary files. */
    abandon: async (): Promise<void> => {
      for (const name of waiting.keys()) await respond(name, ABANDONED);
    },
  };
};

/**
 * A side of a search. Calls that wait at the same time get their responses in any order; the code goes on in the same way
 * then, so that each such order is run only once.
 */
export const sideOf = async (side: string, requests: Requests) => {
  const known = new Map<string, Progress>();
  let run: ReturnType<typeof startRun>;
  /** Where `run` is. */
  let at: Progress;

  const remember = (key: string, responses: Progress['responses']): Progress => {
    at = { id: known.size, responses, ...run.progress() };
    known.set(key, at);
    return at;
  };

  const start = async (responses: Progress['responses']): Promise<void> => {
    run = startRun(side, requests);
    await run.begin();
    for (const { name, response } of responses) await run.respond(name, response);
  };

  await start([]);
  const beginning = remember('', []);
  return {
    beginning,
    /** How far the side comes with one more response. */
    after: async (progress: Progress, name: string, response: EngineResponse): Promise<Progress> => {
      const text = hash('sha256', JSON.stringify([name, response]));
      const responses = [...progress.responses, { name, response, text }];
      const key = responses
        .map((each) => each.text)
        .sort()
        .join();
      const earlier = known.get(key);
      if (earlier !== undefined) return earlier;
      if (at !== progress) {
        await run.abandon();
        await start(progress.responses);
      }
      await run.respond(name, response);
      return remember(key, responses);
    },
    end: () => run.abandon(),
  };
};

export type Side = Awaited<ReturnType<typeof sideOf>>;

const runAlone = async (side: string, requests: Requests, initial: StoredState) => {
  const runner = await sideOf(side, requests);
  let [stored, progress] = [initial, runner.beginning];
  for (let [call] = progress.calls; call !== undefined; [call] = progress.calls) {
    const { response, writes } = await perform(stored, call);
    stored = afterWrites(stored, writes);
    progress = await runner.after(progress, call.name, response);
  }
  return { stored, outcomes: progress.outcomes };
};

/** Node evaluates modules that await something at the same time; only one run may be going on. */
const oneAtATime = pLimit(1);

/** Runs requests by themselves on what is stored, and returns what is stored then. */
export const alone = (side: string, requests: Requests, initial = NOTHING) =>
  oneAtATime(runAlone, side, requests, initial);
