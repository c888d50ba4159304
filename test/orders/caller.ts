/** A caller of the product, who sends one request after the other. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Moment } from '../../core/content/content-table.ts';
import { ApiError } from '../../core/problems.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { beginRequest, type Surroundings } from './surroundings.ts';

/** What a request came to: plain JSON, so that two can be compared. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

/** What a request of a side works with. */
export interface Caller {
  readonly db: DynamoDBDocumentClient;
  /** `a` or `b`, to tell their values apart. */
  readonly side: string;
  readonly moment: Moment;
  /** Of the side's earlier requests. */
  readonly earlier: readonly Outcome[];
}

/** The requests of a caller, one after the other. */
export type Requests = readonly ((caller: Caller) => Promise<unknown>)[];

const NOON = Date.parse('2026-06-15T12:00:00.000Z');
const DEADLINE_MS = 10_000;
/** The error with which callers, by the contract, may repeat a request whose outcome is unknown. */
const TRY_AGAIN = 'try again';
const IN_DOUBT = new Set(['DeadlineExceeded', 'TransactionConflictException', 'TransactionCanceledException']);

/** Whether a request with this outcome may have been applied or not. */
export const isInDoubt = (outcome: Outcome): boolean => 'error' in outcome && outcome.error.includes(TRY_AGAIN);

const errorText = (error: unknown): string => {
  if (error instanceof ApiError) return error.code;
  if (!(error instanceof Error)) return String(error);
  return IN_DOUBT.has(error.name) ? TRY_AGAIN : `${error.name}: ${error.message}`;
};

/** Requests of a side, to be sent one by one. */
export const callerOf = (side: string, surroundings: Surroundings, db: DynamoDBDocumentClient, requests: Requests) => {
  const now = new Date(NOON + side.charCodeAt(0) * 1_000);
  return async (turn: number, earlier: readonly Outcome[]): Promise<Outcome> => {
    beginRequest(surroundings, turn);
    try {
      const value = await requests[turn]?.({ db, side, moment: { now, deadline: deadlineIn(DEADLINE_MS) }, earlier });
      return { value: JSON.parse(JSON.stringify(value ?? null)) };
    } catch (error) {
      return { error: errorText(error) };
    }
  };
};
