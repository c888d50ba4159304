/** The ways on from a state of a search. */
import type { RecordWrite } from '../../lib/local/engine/dynalite-modules.ts';
import type { EngineResponse } from '../../lib/local/engine/protocol.ts';
import { afterWrites, type Performed, perform, type StoredState } from './engine.ts';
import { conflictOf, describe, isTransaction, isWrite, namesOf, reads, updatesOf } from './footprint.ts';
import type { Call, Progress, Side } from './run-side.ts';

/** The names of the sides, with which all their ids begin. */
export const SIDES: readonly string[] = ['a', 'b'];

/** A transaction whose first half is stored. It can't fail any more, and ends even when its caller has. */
interface Half {
  readonly side: number;
  readonly call: Call;
  readonly response: EngineResponse;
  readonly late: readonly RecordWrite[];
  /** What brings back the state before the transaction. */
  readonly undo: readonly RecordWrite[];
}

/** A state of the search. */
export interface Node {
  readonly stored: StoredState;
  readonly progress: readonly Progress[];
  readonly halves: readonly Half[];
  /** The sides of which a call was cancelled: each has that once. */
  readonly cancelled: readonly number[];
  /** What `gather` has made of the states since the first call of each side. */
  readonly gathered: readonly unknown[];
}

/** What happens next: a call gets its response, or a transaction is stored by half. */
interface Step {
  readonly name: string;
  readonly take: () => Promise<Omit<Node, 'gathered'>>;
}

/** What is the same in all states of a search. */
export interface Sides {
  readonly sides: readonly Side[];
  /** Whether the calls of a side that wait at the same time are answered in their order. */
  readonly inOrder: readonly boolean[];
}

/** The write that brings a record back to what is stored of it now. */
const present = ({ records }: StoredState, key: string): RecordWrite => {
  const value = records.get(key);
  return value === undefined ? { type: 'del', key } : { type: 'put', key, value };
};

/** Whether a call is on an entry of another side's transaction. */
const meets = (call: Call, others: readonly Call[]): boolean => {
  const entries = new Set(others.filter(({ operation }) => operation === 'TransactWriteItems').flatMap(namesOf));
  return (isWrite(call) || isTransaction(call)) && namesOf(call).some((entry) => entries.has(entry));
};

/** The ways on from a state. `written` has the entries that each side writes in any order. */
export const stepsFrom = async (
  { sides, inOrder }: Sides,
  node: Node,
  written: readonly ReadonlySet<string>[],
): Promise<Step[]> => {
  const { stored, progress, halves, cancelled } = node;

  const answered = async (side: number, { name }: Call, response: EngineResponse): Promise<Progress[]> =>
    Promise.all(progress.map((one, at) => (at === side ? (sides[at] as Side).after(one, name, response) : one)));

  const finish = (half: Half): Step => ({
    name: `${SIDES[half.side]}: the rest of ${describe(half.call)}`,
    take: async () => ({
      ...node,
      stored: afterWrites(stored, half.late),
      progress: await answered(half.side, half.call, half.response),
      halves: halves.filter((other) => other !== half),
    }),
  });

  const cancel = (side: number, call: Call): Step => ({
    name: `${SIDES[side]}: TransactionConflict for ${describe(call)}`,
    take: async () => {
      const answers = await answered(side, call, conflictOf(call));
      return { ...node, progress: answers, cancelled: [...cancelled, side] };
    },
  });

  const whole = (side: number, call: Call, { response, writes }: Performed): Step => ({
    name: `${SIDES[side]}: ${describe(call)}`,
    take: async () => {
      const answers = await answered(side, call, response);
      return { ...node, stored: afterWrites(stored, writes), progress: answers };
    },
  });

  /** Both ways in which a transaction with both kinds of writes can be stored by half. */
  const half = (side: number, call: Call, { response, writes }: Performed): Step[] => {
    const updates = call.operation === 'TransactWriteItems' && writes.length > 0 ? updatesOf(call) : [];
    const [counters = [], members = []] = [true, false].map((kind) => writes.filter((_, nth) => updates[nth] === kind));
    if (counters.length === 0 || members.length === 0) return [];
    const first = (what: string, early: readonly RecordWrite[], late: readonly RecordWrite[]): Step => {
      const undo = early.map(({ key }) => present(stored, key));
      return {
        name: `${SIDES[side]}: ${what} first of ${describe(call)}`,
        take: async () => ({
          ...node,
          stored: afterWrites(stored, early),
          halves: [...halves, { side, call, response, late, undo }],
        }),
      };
    };
    return [first('members', members, counters), first('counters', counters, members)];
  };

  const ofCall = async (side: number, call: Call): Promise<Step[]> => {
    const others = halves.filter((other) => other.side !== side).map((other) => other.call);
    const inFlight = progress.filter((_, other) => other !== side).flatMap(({ calls }) => calls);
    const mayMeet = call.operation === 'TransactWriteItems' || meets(call, inFlight);
    const steps = mayMeet && !cancelled.includes(side) ? [cancel(side, call)] : [];
    if (meets(call, others)) return steps;
    const performed = await perform(stored, call);
    return [...steps, whole(side, call, performed), ...half(side, call, performed)];
  };

  const waiting = progress.flatMap(({ calls }, side) =>
    (inOrder[side] ? calls.slice(0, 1) : calls)
      .filter(({ name }) => !halves.some((other) => other.side === side && other.call.name === name))
      .map((call) => ({ side, call })),
  );
  // A read of what no other side ever writes is the same at any time.
  const alone = waiting.find(
    ({ side, call }) =>
      !isWrite(call) && !written.some((partitions, other) => other !== side && reads(call, partitions)),
  );
  if (alone) return ofCall(alone.side, alone.call);
  return [...halves.map(finish), ...(await Array.fromAsync(waiting, ({ side, call }) => ofCall(side, call))).flat()];
};
