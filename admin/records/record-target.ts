import { hash } from 'node:crypto';
import type { DynamoItem } from '../../core/aws/database.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';

export interface Part<Body extends object = object> {
  /** All but registration and last update, in the order of the schema. */
  readonly body: Body;
  readonly lastUpdated: string | undefined;
}

/** The parts of a record: of a vehicle by supplier, of a compliance record `mot`, `tax` and `fines`. */
export type Parts<Body extends object = object> = ReadonlyMap<string, Part<Body>>;

/** A part as a file gives it. */
export interface GivenPart<Body extends object = object> extends Pick<Part<Body>, 'body'> {
  /** Undefined when the file does not give it, null when the file says that it is unknown. */
  readonly lastUpdated: string | null | undefined;
  /** Whether it does not replace a part with a later due date. */
  readonly isNeverEarlier?: boolean;
}

export type GivenParts<Body extends object = object> = ReadonlyMap<string, GivenPart<Body>>;

/** Which parts of a record a run compares and replaces. Also splits a stored record into parts, and joins parts. */
export interface RecordTarget<Body extends object = object> {
  readonly table: 'vehicles' | 'compliance';
  /** Whether the run compares and replaces the part with this name. */
  readonly replaces: (name: string) => boolean;
  /** Whether it also removes such a part, with a removal or a complete file. Without this function it does. */
  removes?(part: Part<Body>): boolean;
  /** Whether it replaces every part, so that a removal takes a damaged record too. */
  readonly isWhole?: boolean;
  /** The parts of a stored item; undefined for a damaged one. */
  readonly read: (item: DynamoItem) => Parts<Body> | undefined;
  /** The attributes of a record with these parts, at least one. */
  join(parts: Parts<Body>): object;
  /** Returns why parts cannot be stored where others are; undefined when they can. */
  findConflict?(given: GivenParts<Body>, stored: Parts<Body>): string | undefined;
  /** Whether a vehicle with these parts is insured on a day. */
  isInsured?(parts: ReadonlyMap<string, Pick<Part<Body>, 'body'>>, day: LondonDate): boolean;
}

export interface PartSummary {
  readonly lastUpdated: string | undefined;
  readonly digest: string;
}

/** 128 bits of the hash of the fields, in the order of their schema. */
export const computeDigest = (body: object): string => hash('sha256', JSON.stringify(body), 'base64url').slice(0, 22);

export const summaryOf = ({ body, lastUpdated }: Part): PartSummary => ({ lastUpdated, digest: computeDigest(body) });

export const summaryIn = (parts: Parts, name: string): PartSummary | undefined => {
  const part = parts.get(name);
  return part && summaryOf(part);
};

/** A part as it is exported, and written into a changes file. */
export const flatPart = ({ body, lastUpdated }: Part): object => ({ ...body, ...(lastUpdated && { lastUpdated }) });

export const partOf = (flat: object): Part => {
  const { lastUpdated, ...body } = flat as { readonly lastUpdated?: string };
  return { body, lastUpdated };
};

/** Whether a stored part is one that the target removes. */
export const isRemovable = ({ replaces, removes }: RecordTarget, name: string, part: Part): boolean =>
  replaces(name) && (removes?.(part) ?? true);

/** The whole record in place of the parts of its target, as a restore and a removal take it. */
export const wholeTarget = <Body extends object>({
  removes: _,
  ...target
}: RecordTarget<Body>): RecordTarget<Body> => ({ ...target, replaces: () => true, isWhole: true });
