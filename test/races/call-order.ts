/** Decides the order in which the database answers the calls of concurrent requests, and which answers are lost. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** What happens at the nth call, from 1, of those whose operation (`PutItem` …) matches. */
export interface CallEvent {
  readonly operation: RegExp;
  readonly nth?: number;
  /** The call is sent when this has ended. */
  readonly before?: () => Promise<unknown>;
  /** The call is applied, but its caller gets an error in place of the response. */
  readonly isLost?: true;
}

/** A lost connection, as the SDK reports it after its last attempt. */
class ConnectionLost extends Error {
  override readonly name = 'TimeoutError';
  readonly $fault = 'server';
  readonly $metadata = {};
}

/** @returns a function that runs some work while these events happen to the client's calls, each of them once */
export const withCallEvents = ({ middlewareStack }: DynamoDBDocumentClient) => {
  let waiting: (CallEvent & { calls: number })[] = [];
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const matching = waiting.filter(({ operation }) => operation.test(commandName));
        for (const event of matching) event.calls += 1;
        const due = matching.find(({ calls, nth = 1 }) => calls === nth);
        waiting = waiting.filter((event) => event !== due);
        await due?.before?.();
        const answer = await next(args);
        if (due?.isLost) throw new ConnectionLost();
        return answer;
      },
    { step: 'initialize', name: 'callEvents' },
  );
  return async <Result>(events: readonly CallEvent[], work: () => Promise<Result>): Promise<Result> => {
    waiting = events.map((event) => ({ ...event, calls: 0 }));
    try {
      return await work();
    } finally {
      waiting = [];
    }
  };
};

type During = ReturnType<typeof withCallEvents>;

/**
 * Runs `late`, whose first call of an operation waits until `early` has ended; with `isLost` that call is applied, its
 * response is lost, and the call that repeats it waits.
 * @returns the results of both, `late` first
 */
export const race = async <Late, Early>(
  during: During,
  late: () => Promise<Late>,
  { operation, isLost }: Pick<CallEvent, 'operation' | 'isLost'>,
  early: () => Promise<Early>,
): Promise<[Late, Early]> => {
  let ending: Promise<Early> | undefined;
  const before = () => {
    ending = early();
    return ending;
  };
  const events = isLost
    ? [
        { operation, isLost },
        { operation, nth: 2, before },
      ]
    : [{ operation, before }];
  const result = await during(events, late);
  if (ending === undefined) throw new Error(`The call ${operation} did not come, so nothing was concurrent.`);
  return [result, await ending];
};
