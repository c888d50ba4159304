import type { Outcome, Requests } from './caller.ts';
import type { StoredState } from './engine.ts';

import type { Stored } from './stored-content.ts';

/** What a side that only reads has to answer for. */
export interface Reading {
  /** Adds a state that is stored while it reads. */
  readonly gather: (gathered: unknown, stored: Stored) => unknown;
  /** What is wrong with its result. */
  readonly judge: (result: unknown, gathered: unknown) => readonly string[];
}

/** One side of a pair. What neither reads nor repairs must fit one order of the requests of both. */
export interface Operation {
  readonly name: string;
  readonly requests: Requests;
  readonly reading?: Reading;
  /** The inconsistencies that it repairs, as `Stored` names them. */
  readonly repaired?: readonly string[];
  /** Its calls that wait at the same time decide nothing together: they are answered in their order. */
  readonly inOrder?: true;
}

/** Two sides, and what is stored before. */
export interface Pair {
  readonly sides: readonly [Operation, Operation];
  readonly initial: StoredState;
}

/** The result of a request that must succeed. */
export const resultOf = <T>(outcome: Outcome | undefined): T => {
  if (outcome === undefined || !('value' in outcome)) throw new Error(`${JSON.stringify(outcome)} is no result`);
  return outcome.value as T;
};

/** The problems that are there. */
export const problems = (found: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(found).filter((problem) => found[problem]);
