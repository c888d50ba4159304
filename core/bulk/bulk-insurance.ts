import type { LondonDate } from '../runtime/clock.ts';
import { insuranceResult } from '../vehicles/insurance.ts';
import type { InsuranceRecord } from '../vehicles/vehicle-record.ts';
import type { FoundRecords } from '../vehicles/vehicles-table.ts';
import { type BulkEntry, bulkEnvelope, entryFailure, invalidEntry, unknownVehicle } from './bulk-entries.ts';

const entryResult = (
  { sent, key }: BulkEntry,
  { found, unread }: FoundRecords<InsuranceRecord>,
  today: LondonDate,
  asOf: LondonDate = today,
) => {
  const failed = { registration: sent, insured: false } as const;
  if (key === undefined) return { ...failed, ...invalidEntry(sent) };
  if (unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const record = found.get(key);
  if (record === undefined) return { ...failed, ...unknownVehicle(key, today) };
  return insuranceResult(sent, asOf, record.policies);
};

/**
 * One result per entry, in order, duplicates included (docs/contract.md#bulk).
 * @param asOf the day to answer for instead of today
 */
export const bulkInsuranceAnswer = (
  entries: readonly BulkEntry[],
  records: FoundRecords<InsuranceRecord>,
  today: LondonDate,
  asOf?: LondonDate,
) => ({
  ...bulkEnvelope(entries.map((entry) => entryResult(entry, records, today, asOf))),
  ...(asOf && { asOf }),
});
