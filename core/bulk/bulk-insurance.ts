import type { LondonDate } from '../runtime/clock.ts';
import { insuranceResult } from '../vehicles/insurance.ts';
import type { RegistrationKey } from '../vehicles/registration.ts';
import type { InsuranceRecord } from '../vehicles/vehicle-record.ts';
import type { FoundRecords } from '../vehicles/vehicles-table.ts';
import { type BulkKeys, bulkEnvelope, entryFailure, invalidEntry, unknownVehicle } from './bulk-entries.ts';

const bulkEntry = (
  registration: string,
  key: RegistrationKey | undefined,
  { found, unread }: FoundRecords<InsuranceRecord>,
  today: LondonDate,
  asOf: LondonDate = today,
) => {
  const failed = { registration, insured: false } as const;
  if (key === undefined) return { ...failed, ...invalidEntry(registration) };
  if (unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const record = found.get(key);
  if (record === undefined) return { ...failed, ...unknownVehicle(key, today) };
  return insuranceResult(registration, asOf, record.policies);
};

/**
 * One result per entry, in order, duplicates included (docs/contract.md#bulk).
 * @param keys of the entries, from `bulkKeys`
 * @param asOf the day to answer for instead of today
 */
export const bulkInsuranceAnswer = (
  submitted: readonly string[],
  keys: BulkKeys,
  records: FoundRecords<InsuranceRecord>,
  today: LondonDate,
  asOf?: LondonDate,
) => ({
  ...bulkEnvelope(submitted.map((registration, index) => bulkEntry(registration, keys[index], records, today, asOf))),
  ...(asOf && { asOf }),
});
