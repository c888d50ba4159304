import { type LondonDate, londonDate } from '../runtime/clock.ts';
import { type BulkKeys, bulkEnvelope, entryFailure, unknownVehicle } from '../vehicles/bulk.ts';
import type { FoundSources } from './compliance-table.ts';
import type { BulkComplianceEntry } from './schemas.ts';
import { verdictOn } from './verdict.ts';

const verify = (
  registration: string,
  key: string | undefined,
  { vehicles, records }: FoundSources,
  { today, lastChecked }: { readonly today: LondonDate; readonly lastChecked: string },
): BulkComplianceEntry => {
  const failed = { registration, compliant: false } as const;
  if (key === undefined) return { ...failed, ...entryFailure('INVALID_REGISTRATION') };
  if (vehicles.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const vehicle = vehicles.found.get(key);
  if (vehicle === undefined) return { ...failed, ...unknownVehicle(key, today) };
  if (records.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const record = records.found.get(key);
  if (record === undefined) return { ...failed, ...entryFailure('COMPLIANCE_NOT_FOUND') };
  return { registration, ...verdictOn(today, vehicle, record), lastChecked };
};

/**
 * One result per submitted entry, in order, duplicates included (docs/contract.md#compliance). What could not be read is
 * `LOOKUP_UNAVAILABLE`, never a verdict and never missing.
 * @param keys of the entries, as `bulkKeys` gives them
 */
export const verifyBulkCompliance = (
  submitted: readonly string[],
  keys: BulkKeys,
  sources: FoundSources,
  now: Date,
) => {
  const moment = { today: londonDate(now), lastChecked: now.toISOString() };
  return bulkEnvelope(submitted.map((registration, index) => verify(registration, keys[index], sources, moment)));
};
