/**
 * Searches every order of the calls of two sides. What follows a state depends only on what is stored and on the responses
 * that each side has got: a state that several orders reach is searched once.
 */
import { afterWrites, perform, type StoredState } from './engine.ts';
import { isWrite, namesOf } from './footprint.ts';
import type { Side } from './run-side.ts';
import { type Node, type Sides, stepsFrom } from './steps.ts';

/** What is searched. */
export interface Searched extends Sides {
  readonly initial: StoredState;
  /** Adds a state to what a side has to answer for; JSON. */
  readonly gather: (side: number, gathered: unknown, stored: StoredState) => unknown;
  /** What is wrong with a state in which no transaction is stored by half. */
  readonly judge: (node: Node) => Promise<readonly string[]>;
}

/** A finding and the calls that lead to it. */
export interface Finding {
  readonly what: string;
  readonly order: readonly string[];
}

/** What a search came to. */
export interface Figures {
  readonly orders: number;
  readonly states: number;
  /** States in which a side may have ended between two of its calls. */
  readonly crashes: number;
  /** The first one, which ends the search. */
  readonly finding: Finding | undefined;
}

/** The states that a reader may take the stored one for: each transaction of which half is stored before and after it. */
const readings = ({ stored, halves }: Pick<Node, 'stored' | 'halves'>): readonly StoredState[] =>
  halves.reduce<readonly StoredState[]>(
    (states, { late, undo }) => states.flatMap((state) => [afterWrites(state, undo), afterWrites(state, late)]),
    [stored],
  );

const keyOf = ({ stored, progress, halves, gathered }: Node): string =>
  JSON.stringify([
    stored.id,
    progress.map(({ id }) => id),
    halves.map(({ side, call, undo }) => [side, call.name, afterWrites(stored, undo).id]),
    gathered,
  ]);

/** The entries that a side writes when nobody else does anything. */
const writtenAlone = async ({ beginning, after }: Side, initial: StoredState): Promise<Set<string>> => {
  const written = new Set<string>();
  let [stored, progress] = [initial, beginning];
  for (let [call] = progress.calls; call !== undefined; [call] = progress.calls) {
    if (isWrite(call)) for (const entry of namesOf(call)) written.add(entry);
    const { response, writes } = await perform(stored, call);
    stored = afterWrites(stored, writes);
    progress = await after(progress, call.name, response);
  }
  return written;
};

const begun = ({ progress, halves }: Pick<Node, 'progress' | 'halves'>, side: number): boolean =>
  (progress[side]?.responses.length ?? 0) > 0 || halves.some((half) => half.side === side);

/** Searches every order. */
export const search = async ({ initial, sides, inOrder, gather, judge }: Searched): Promise<Figures> => {
  const written = await Array.fromAsync(sides, (side) => writtenAlone(side, initial));
  let finding: Finding | undefined;
  const path: string[] = [];
  let orders = new Map<string, number>();
  let crashes = 0;

  const withGathered = (before: Node, after: Omit<Node, 'gathered'>): Node => ({
    ...after,
    gathered: before.gathered.map((gathered, side) => {
      if (!begun(after, side) || before.progress[side]?.hasEnded) return gathered;
      const states = begun(before, side) ? readings(after) : [...readings(before), ...readings(after)];
      return states.reduce((all, stored) => gather(side, all, stored), gathered);
    }),
  });

  const judgeNode = async (node: Node): Promise<void> => {
    if (node.halves.length > 0) return;
    if (node.progress.some(({ hasEnded }, side) => !hasEnded && begun(node, side))) crashes += 1;
    const [what] = await judge(node);
    if (what !== undefined) finding = { what, order: [...path] };
  };

  /** Returns the number of orders from here on. */
  const explore = async (node: Node): Promise<number> => {
    const key = keyOf(node);
    const known = orders.get(key);
    if (known !== undefined) return known;
    await judgeNode(node);
    for (const [side, { calls }] of node.progress.entries()) {
      for (const entry of calls.filter(isWrite).flatMap(namesOf)) written[side]?.add(entry);
    }
    let count = 0;
    for (const { name, take } of await stepsFrom({ sides, inOrder }, node, written)) {
      if (finding !== undefined) break;
      path.push(name);
      count += await explore(withGathered(node, await take()));
      path.pop();
    }
    orders.set(key, Math.max(1, count));
    return orders.get(key) ?? 1;
  };

  // Again while a side wrote to an entry that was not known when a read of it was taken for one that is the same at any time.
  let total = 0;
  for (let before = -1, after = 0; before < after && finding === undefined; ) {
    before = after;
    [orders, crashes] = [new Map(), 0];
    const beginnings = sides.map(({ beginning }) => beginning);
    total = await explore({
      stored: initial,
      progress: beginnings,
      halves: [],
      cancelled: [],
      gathered: sides.map(() => null),
    });
    after = written.reduce((sum, { size }) => sum + size, 0);
  }
  return { orders: total, states: orders.size, crashes, finding };
};
