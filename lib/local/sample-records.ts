/** The sandbox vehicles as sample data of the local service, dated from a day. */
import { isDeepStrictEqual } from 'node:util';
import type { ComplianceRecord } from '../../core/compliance/record.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import {
  dayFrom,
  sandboxCompliance,
  sandboxRegistrations,
  sandboxVehicle,
} from '../../core/sandbox/sandbox-records.ts';
import type { VehicleRecord } from '../../core/vehicles/record.ts';

/** The sample vehicles as records on the day of `now`. */
export const sampleVehicleRecords = (now: Date): VehicleRecord[] =>
  sandboxRegistrations().flatMap((registration) => sandboxVehicle(registration, londonDate(now)) ?? []);

/** The compliance records of the sample vehicles on the day of `now`. Some vehicles have none. */
export const sampleComplianceRecords = (now: Date): ComplianceRecord[] =>
  sandboxRegistrations().flatMap((registration) => sandboxCompliance(registration, londonDate(now)) ?? []);

/**
 * If a stored record is an unchanged sample vehicle of any day: the compliance record that was loaded with it. Otherwise
 * undefined.
 */
export const sampleLoadedAs = (record: VehicleRecord): { compliance: ComplianceRecord | undefined } | undefined => {
  const { registration, lastUpdated } = record;
  const loadedOn = dayFrom(lastUpdated.slice(0, 10), 1);
  if (!isDeepStrictEqual(sandboxVehicle(registration, loadedOn), record)) return undefined;
  return { compliance: sandboxCompliance(registration, loadedOn) };
};
