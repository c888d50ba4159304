import type { FoundSources } from '../compliance/compliance-table.ts';
import { type ComplianceAnswer, complianceAnswer } from '../compliance/verdict.ts';
import { londonDate } from '../runtime/clock.ts';
import type { RegistrationKey } from '../vehicles/registration.ts';
import {
  type BulkEntryCode,
  type BulkEntryFailure,
  type BulkKeys,
  bulkEnvelope,
  entryFailure,
  invalidEntry,
  unknownVehicle,
} from './bulk-entries.ts';

/** One result: the body of the single lookup, or why there is none. */
export type BulkComplianceEntry =
  | ComplianceAnswer
  | (BulkEntryFailure<BulkEntryCode> & Pick<ComplianceAnswer, 'registration'> & { readonly compliant: false });

const bulkEntry = (
  registration: string,
  key: RegistrationKey | undefined,
  { vehicles, compliance }: FoundSources,
  now: Date,
): BulkComplianceEntry => {
  const failed = { registration, compliant: false } as const;
  if (key === undefined) return { ...failed, ...invalidEntry(registration) };
  if (vehicles.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const vehicle = vehicles.found.get(key);
  if (vehicle === undefined) return { ...failed, ...unknownVehicle(key, londonDate(now)) };
  if (compliance.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const record = compliance.found.get(key);
  if (record === undefined) return { ...failed, ...entryFailure('COMPLIANCE_NOT_FOUND') };
  return complianceAnswer(registration, { vehicle, compliance: record }, now);
};

/**
 * One result per submitted entry, in order, duplicates included (docs/contract.md#compliance). What could not be read is
 * `LOOKUP_UNAVAILABLE`, never a verdict and never missing.
 * @param keys of the entries, as `bulkKeys` gives them
 */
export const bulkComplianceAnswer = (submitted: readonly string[], keys: BulkKeys, sources: FoundSources, now: Date) =>
  bulkEnvelope(submitted.map((registration, index) => bulkEntry(registration, keys[index], sources, now)));
