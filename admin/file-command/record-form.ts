import { hash } from 'node:crypto';
import type { DynamoItem } from '../../core/dynamodb/database.ts';

/** The tables whose records an import compares with a file. */
type RecordTable = 'vehicles' | 'compliance';

/** The name of the supplier without one. No other name can be this one. */
export const NAMELESS = '-';

/** What one supplier says of a record. */
export interface Part<Body extends object = object> {
  /** All but registration and last update, in the order of the schema. */
  readonly body: Body;
  readonly lastUpdated: string | undefined;
}

/** The parts of a record, by the name of their supplier. */
export type Parts<Body extends object = object> = ReadonlyMap<string, Part<Body>>;

/** How the records of a table are made of parts, and whose part a run compares and replaces. */
export interface RecordForm<Body extends object = object> {
  readonly table: RecordTable;
  readonly supplier: string;
  /** The parts of a stored item; undefined for a damaged one. */
  readonly read: (item: DynamoItem) => Parts<Body> | undefined;
  /** The attributes of a record with these parts, at least one. */
  join(parts: Parts<Body>): object;
  /** Why a part does not fit in beside other suppliers' parts; undefined when it does. */
  conflict?(body: Body, others: Parts<Body>): string | undefined;
}

/** How stored records are read. */
export type StoredForm = Pick<RecordForm, 'table' | 'supplier' | 'read'>;

/** What an import compares of a part. */
export interface PartSummary {
  readonly lastUpdated: string | undefined;
  readonly digest: string;
}

/** What a scan has found of the supplier's part of a record. */
export type FindScanned = (registration: string) => PartSummary | 'erased' | undefined;

/** Of the fields in the order of their schema. */
export const computeDigest = (body: object): string => hash('sha256', JSON.stringify(body), 'base64url');

export const summaryOf = ({ body, lastUpdated }: Part): PartSummary => ({ lastUpdated, digest: computeDigest(body) });

/** Records that are one part, whoever has supplied them. `read` leaves out what is none of the record's attributes. */
export const wholeForm = <Record extends { readonly registration: string; readonly lastUpdated?: string }>(
  table: RecordTable,
  read: (item: DynamoItem) => Record | undefined,
): RecordForm => ({
  table,
  supplier: NAMELESS,
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
