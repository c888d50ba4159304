import type { BulkVerdictRecords } from '../compliance/compliance-table.ts';
import { complianceAnswer } from '../compliance/verdict.ts';
import type { LondonDate } from '../runtime/clock.ts';
import { type BulkEntry, bulkEnvelope, entryFailure, invalidEntry, unknownVehicle } from './bulk-entries.ts';

const entryResult = (
  { sent, key }: BulkEntry,
  { vehicles, compliance }: BulkVerdictRecords,
  now: Date,
  today: LondonDate,
) => {
  const failed = { registration: sent, compliant: false } as const;
  if (key === undefined) return { ...failed, ...invalidEntry(sent) };
  if (vehicles.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const vehicle = vehicles.found.get(key);
  if (vehicle === undefined) return { ...failed, ...unknownVehicle(key, today) };
  if (compliance.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const record = compliance.found.get(key);
  if (record === undefined) return { ...failed, ...entryFailure('COMPLIANCE_NOT_FOUND') };
  return complianceAnswer(sent, vehicle, record, now, today);
};

/**
 * One result per entry, in order, duplicates included (docs/contract.md#compliance). A vehicle that could not be read
 * is `LOOKUP_UNAVAILABLE`: it never gets a verdict and is never missing.
 */
export const bulkComplianceAnswer = (
  entries: readonly BulkEntry[],
  records: BulkVerdictRecords,
  now: Date,
  today: LondonDate,
) => bulkEnvelope(entries.map((entry) => entryResult(entry, records, now, today)));
