/** The sandbox vehicles as records on a day. A record is made when it is asked for, so that a cold start makes none. */
import type { ComplianceRecord } from '../compliance/compliance-record.ts';
import { dayAfter, type LondonDate } from '../runtime/clock.ts';
import { type RegistrationKey, requireRegistration } from '../vehicles/registration.ts';
import type { Policy, VehicleRecord } from '../vehicles/vehicle-record.ts';
import { SANDBOX_VEHICLES, type SandboxCompliance, type SandboxVehicle } from './sandbox-vehicles.ts';

const INSURERS = ['Acme Mutual', 'Northgate Mutual', 'Albion Direct', 'Castle & Crown Insurance'] as const;
const COVER = ['Comprehensive', 'Third Party, Fire and Theft', 'Third Party Only'] as const;

const pick = <T>(choices: readonly [T, ...T[]], index: number): T => choices[index % choices.length] ?? choices[0];

let listed: ReadonlyMap<RegistrationKey, { readonly vehicle: SandboxVehicle; readonly place: number }> | undefined;

const byRegistration = () => {
  listed ??= new Map(
    SANDBOX_VEHICLES.map((vehicle, place) => [requireRegistration(vehicle.registration), { vehicle, place }]),
  );
  return listed;
};

export const sandboxRegistrations = (): RegistrationKey[] => [...byRegistration().keys()];

/** Sandbox records were last changed yesterday. */
const lastUpdatedOn = (today: LondonDate): string => `${dayAfter(today, -1)}T08:30:00.000Z`;

/** The vehicle with this key, as its record would be today; undefined for any other registration. */
export const sandboxVehicle = (registration: RegistrationKey, today: LondonDate): VehicleRecord | undefined => {
  const sandbox = byRegistration().get(registration);
  if (sandbox === undefined) return undefined;
  const { place, vehicle } = sandbox;
  return {
    registration,
    vehicle: vehicle.vehicle,
    policies: vehicle.policies.map(
      ([from, to], nth): Policy => ({
        number: `POL-${1_000 + place}-${nth + 1}`,
        insurer: pick(INSURERS, place + nth),
        validFrom: dayAfter(today, from),
        validTo: dayAfter(today, to),
        type: pick(COVER, place),
      }),
    ),
    lastUpdated: lastUpdatedOn(today),
  };
};

const roadTaxRecord = (today: LondonDate, tax: SandboxCompliance['tax']): ComplianceRecord['roadTax'] => {
  if (tax === 'exempt') return { exempt: true };
  return tax === 'sorn' ? { sorn: true } : { paidUntil: dayAfter(today, tax) };
};

/** The compliance record of a sandbox vehicle today. Some vehicles have none. */
export const sandboxCompliance = (registration: RegistrationKey, today: LondonDate): ComplianceRecord | undefined => {
  const compliance = byRegistration().get(registration)?.vehicle.compliance;
  if (compliance === undefined) return undefined;
  const { mot, tax, fines } = compliance;
  return {
    registration,
    mot: mot === 'exempt' ? { exempt: true } : { dueDate: dayAfter(today, mot) },
    roadTax: roadTaxRecord(today, tax),
    outstandingFines: fines,
    lastUpdated: lastUpdatedOn(today),
  };
};
