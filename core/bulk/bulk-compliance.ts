import type { BulkVerdictRecords } from '../compliance/compliance-table.ts';
import { complianceAnswer } from '../compliance/verdict.ts';
import { londonDate } from '../runtime/clock.ts';
import type { RegistrationKey } from '../vehicles/registration.ts';
import { type BulkKeys, bulkEnvelope, entryFailure, invalidEntry, unknownVehicle } from './bulk-entries.ts';

const bulkEntry = (
  registration: string,
  key: RegistrationKey | undefined,
  { vehicles, compliance }: BulkVerdictRecords,
  now: Date,
) => {
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
 * One result per entry, in order, duplicates included (docs/contract.md#compliance). A vehicle that could not be read
 * is `LOOKUP_UNAVAILABLE`: it never gets a verdict and is never missing.
 * @param keys of the entries, from `bulkKeys`
 */
export const bulkComplianceAnswer = (
  submitted: readonly string[],
  keys: BulkKeys,
  sources: BulkVerdictRecords,
  now: Date,
) => bulkEnvelope(submitted.map((registration, index) => bulkEntry(registration, keys[index], sources, now)));
