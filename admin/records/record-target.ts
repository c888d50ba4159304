import { hash } from 'node:crypto';
import type { DynamoItem } from '../../core/dynamodb/database.ts';

/** Stands for the supplier without a name. No supplier can have this name. */
export const NAMELESS = '-';

export interface Part<Body extends object = object> {
  /** All but registration and last update, in the order of the schema. */
  readonly body: Body;
  readonly lastUpdated: string | undefined;
}

export type Parts<Body extends object = object> = ReadonlyMap<string, Part<Body>>;

/**
 * The part of each record that a run compares and replaces: one supplier's part, in one table. Also says how a stored
 * record is split into parts, and how parts are joined into a record.
 */
export interface RecordTarget<Body extends object = object> {
  readonly table: 'vehicles' | 'compliance';
  readonly supplier: string;
  /** Whether a record is one part, so that a removal takes all of it, damaged or not. */
  readonly isWhole?: boolean;
  /** The parts of a stored item; undefined for a damaged one. */
  readonly read: (item: DynamoItem) => Parts<Body> | undefined;
  /** The attributes of a record with these parts, at least one. */
  join(parts: Parts<Body>): object;
  /** Returns why a part cannot be stored beside the parts of other suppliers; undefined when it can. */
  findConflict?(body: Body, others: Parts<Body>): string | undefined;
}

export interface PartSummary {
  readonly lastUpdated: string | undefined;
  readonly digest: string;
}

/** 128 bits of the hash of the fields, in the order of their schema. */
export const computeDigest = (body: object): string => hash('sha256', JSON.stringify(body), 'base64url').slice(0, 22);

export const summaryOf = ({ body, lastUpdated }: Part): PartSummary => ({ lastUpdated, digest: computeDigest(body) });

/** Records that are replaced whole. `read` leaves out attributes that do not belong to the record. */
export const wholeTarget = <Record extends { readonly registration: string; readonly lastUpdated?: string }>(
  table: RecordTarget['table'],
  read: (item: DynamoItem) => Record | undefined,
): RecordTarget => ({
  table,
  supplier: NAMELESS,
  isWhole: true,
  read: (item) => {
    const record = read(item);
    if (record === undefined) return undefined;
    const { registration, lastUpdated, ...body } = record;
    return new Map([[NAMELESS, { body, lastUpdated }]]);
  },
  join: (parts) => {
    const { body, lastUpdated } = parts.get(NAMELESS) ?? {};
    return { ...body, ...(lastUpdated !== undefined && { lastUpdated }) };
  },
});
