import { setTimeout } from 'node:timers/promises';

/** What came of one request, and when: milliseconds. */
export interface Timed<Result> {
  readonly result: Result;
  /** From the moment at which it was due, so that waiting behind slower ones counts. */
  readonly latency: number;
  /** By how much it left after it was due. */
  readonly late: number;
}

const timed = async <Result>(due: number, send: () => Promise<Result>): Promise<Timed<Result>> => {
  const late = performance.now() - due;
  const result = await send();
  return { result, latency: performance.now() - due, late };
};

/** Sends requests in their order at a steady rate per second, whatever is still unanswered. `send` must not reject. */
export const sendSteadily = async <Request, Result>(
  requests: readonly Request[],
  rate: number,
  send: (request: Request, nth: number) => Promise<Result>,
): Promise<readonly Timed<Result>[]> => {
  const start = performance.now();
  const answers: Promise<Timed<Result>>[] = [];
  for (const [nth, request] of requests.entries()) {
    const due = start + (nth * 1_000) / rate;
    const early = due - performance.now();
    if (early > 0) await setTimeout(early);
    answers.push(timed(due, () => send(request, nth)));
  }
  return Promise.all(answers);
};
