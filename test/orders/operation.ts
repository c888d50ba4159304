/** What the two sides of a search do. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ChangeTiming } from '../../core/content/content-table.ts';
import { runCommandOn } from '../support/run-command-on.ts';
import { type StoredContent, type StoredState, TABLES } from './engine.ts';

/** What a request came to: plain JSON, so that two can be compared. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

export interface Caller {
  readonly db: DynamoDBDocumentClient;
  /** `a` or `b`, to tell their values apart. */
  readonly side: string;
  readonly moment: ChangeTiming;
  /** Of the side's earlier requests. */
  readonly earlier: readonly Outcome[];
}

/** The requests of a caller of the product, who sends one after the other. */
export type Requests = readonly ((caller: Caller) => Promise<unknown>)[];

/** What a side that only reads has to answer for. */
interface ReadCheck {
  /** Adds a state that is stored while it reads; JSON. */
  readonly observe: (observed: unknown, stored: StoredContent) => unknown;
  readonly check: (result: unknown, observed: unknown) => readonly string[];
}

/** One side of a pair. Unless a side only reads, its results must be those of some serial order of the requests. */
export interface Operation {
  readonly name: string;
  readonly requests: Requests;
  readonly reading?: ReadCheck;
  /** Its concurrent calls do not influence each other, so only one order of them is searched. */
  readonly inOrder?: true;
}

export interface Pair {
  readonly sides: readonly [Operation, Operation];
  readonly initial: StoredState;
}

/** Each of these with each of the others. */
export const beside = (these: readonly Operation[], others: readonly Operation[], initial: StoredState): Pair[] =>
  these.flatMap((one) => others.map((another): Pair => ({ sides: [one, another], initial })));

/** Each with each, and with itself. */
export const eachWithEach = (operations: readonly Operation[], initial: StoredState): Pair[] =>
  operations.flatMap((one, nth) => beside([one], operations.slice(nth), initial));

type AddCommands = Parameters<typeof runCommandOn>[1];

/** Runs a command of the CLI for a side. @returns its data */
export const runCli = (addCommands: AddCommands, { db, moment }: Caller, ...args: readonly string[]) =>
  runCommandOn({ db, tableNames: TABLES, now: moment.now }, addCommands, ...args);

/** The result of a request that must succeed. */
export const resultOf = <T>(outcome: Outcome | undefined): T => {
  if (outcome === undefined || !('value' in outcome)) throw new Error(`${JSON.stringify(outcome)} is no result`);
  return outcome.value as T;
};

/** The error with which callers, by the contract, may repeat a request whose outcome is unknown. */
export const TRY_AGAIN = 'try again';

/** Whether a request with this outcome may have been applied or not. */
export const isInDoubt = (outcome: Outcome): boolean => 'error' in outcome && outcome.error.includes(TRY_AGAIN);
