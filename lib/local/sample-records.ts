/** The sample vehicles as stored records, dated from a day. */
import { isDeepStrictEqual } from 'node:util';
import type { ComplianceRecord } from '../../functions/compliance/record.ts';
import { type LondonDate, londonDate } from '../../functions/runtime/clock.ts';
import type { Policy, VehicleRecord } from '../../functions/vehicles/record.ts';
import { normaliseRegistration } from '../../functions/vehicles/registration.ts';
import { type Days, SAMPLE_VEHICLES, type SampleCompliance, type SampleVehicle } from './sample-vehicles.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const INSURERS = ['Acme Mutual', 'Northgate Mutual', 'Albion Direct', 'Castle & Crown Insurance'] as const;
const COVER = ['Comprehensive', 'Third Party, Fire and Theft', 'Third Party Only'] as const;

/** Noon is on the same calendar day in London and in UTC, in summer and in winter. */
const dayFrom = (today: LondonDate, days: Days): LondonDate =>
  new Date(Date.parse(`${today}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

const pick = <T>(choices: readonly [T, ...T[]], index: number): T => choices[index % choices.length] ?? choices[0];

const keyOf = ({ registration }: SampleVehicle): string => {
  const key = normaliseRegistration(registration);
  if (key === undefined) throw new Error(`sample vehicle ${registration} has an invalid registration`);
  return key;
};

/** Records are a day old when they are loaded. */
const lastUpdatedOn = (today: LondonDate): string => `${dayFrom(today, -1)}T08:30:00.000Z`;

/** The sample vehicles as records on the day of `now`. */
export const sampleVehicleRecords = (now: Date): VehicleRecord[] => {
  const today = londonDate(now);
  return SAMPLE_VEHICLES.map((sample, index) => ({
    registration: keyOf(sample),
    vehicle: sample.vehicle,
    policies: sample.policies.map(
      ([from, to], nth): Policy => ({
        number: `POL-${String(1_000 + index)}-${nth + 1}`,
        insurer: pick(INSURERS, index + nth),
        validFrom: dayFrom(today, from),
        validTo: dayFrom(today, to),
        type: pick(COVER, index),
      }),
    ),
    lastUpdated: lastUpdatedOn(today),
  }));
};

/** Their compliance records on the day of `now`. Some vehicles have none. */
export const sampleComplianceRecords = (now: Date): ComplianceRecord[] => {
  const today = londonDate(now);
  return SAMPLE_VEHICLES.flatMap((sample) => {
    if (sample.compliance === undefined) return [];
    const { mot, tax, fines } = sample.compliance;
    return [
      {
        registration: keyOf(sample),
        mot: mot === 'exempt' ? { exempt: true } : { dueDate: dayFrom(today, mot) },
        roadTax: roadTaxOf(today, tax),
        outstandingFines: fines,
        lastUpdated: lastUpdatedOn(today),
      },
    ];
  });
};

const roadTaxOf = (today: LondonDate, tax: SampleCompliance['tax']): ComplianceRecord['roadTax'] => {
  if (tax === 'exempt') return { exempt: true };
  return tax === 'sorn' ? { sorn: true } : { paidUntil: dayFrom(today, tax) };
};

/**
 * If a stored record is an unchanged sample vehicle of any day: the compliance record that was loaded with it. Otherwise
 * undefined.
 */
export const sampleLoadedAs = (record: VehicleRecord): { compliance: ComplianceRecord | undefined } | undefined => {
  const loadedOn = new Date(`${dayFrom(record.lastUpdated.slice(0, 10), 1)}T12:00:00Z`);
  const isRecord = ({ registration }: { registration: string }) => registration === record.registration;
  const sample = sampleVehicleRecords(loadedOn).find(isRecord);
  if (!isDeepStrictEqual(sample, record)) return undefined;
  return { compliance: sampleComplianceRecords(loadedOn).find(isRecord) };
};
