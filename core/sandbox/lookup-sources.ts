/** The sources of lookups: the tables for live keys, the sandbox vehicles for other keys (docs/contract.md#sandbox). */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../access/api-key.ts';
import { complianceTable } from '../compliance/compliance-table.ts';
import { forcedError } from '../problems.ts';
import type { LondonDate } from '../runtime/clock.ts';
import type { RegistrationKey } from '../vehicles/registration.ts';
import { type FoundRecords, vehiclesTable } from '../vehicles/vehicles-table.ts';
import { sandboxCompliance, sandboxVehicle } from './sandbox-records.ts';

/**
 * Registrations for which the sandbox forces an error that is otherwise hard to provoke (docs/contract.md#sandbox), by
 * `RegistrationKey`. In a bulk request they are `LOOKUP_UNAVAILABLE`.
 */
export const FORCED_OUTCOMES: Readonly<Record<string, 'RATE_LIMITED' | 'INTERNAL_ERROR'>> = {
  ER19THR: 'RATE_LIMITED',
  ER19ERR: 'INTERNAL_ERROR',
};

export const isForced = (registration: RegistrationKey): boolean => FORCED_OUTCOMES[registration] !== undefined;

/** The facts about a request that decide which records it sees, and how sandbox vehicles are dated. */
type LookupRequest = { readonly kind: KeyKind; readonly today: LondonDate };

type VehicleSource = ReturnType<typeof vehiclesTable>;
type ComplianceSource = ReturnType<typeof complianceTable>;

/** @throws the error that the sandbox forces for the registration, if there is one */
export const throwForcedError = (registration: RegistrationKey): void => {
  const code = FORCED_OUTCOMES[registration];
  if (code !== undefined) throw forcedError(code);
};

const findAll = <Found>(
  registrations: readonly RegistrationKey[],
  find: (registration: RegistrationKey, today: LondonDate) => Found | undefined,
  today: LondonDate,
): FoundRecords<Found> => {
  const records = registrations.flatMap((registration) => {
    const record = find(registration, today);
    return record === undefined ? [] : [[registration, record] as const];
  });
  return { found: new Map(records), unread: new Set(registrations.filter(isForced)) };
};

const sandboxVehicleSource = (today: LondonDate): VehicleSource => ({
  find: async (registration) => {
    throwForcedError(registration);
    return sandboxVehicle(registration, today);
  },
  findMany: async (registrations) => ({ ...findAll(registrations, sandboxVehicle, today), failure: undefined }),
});

const sandboxComplianceSource = (today: LondonDate): ComplianceSource => ({
  findWithVehicle: async (registration) => {
    throwForcedError(registration);
    return { vehicle: sandboxVehicle(registration, today), compliance: sandboxCompliance(registration, today) };
  },
  findManyWithVehicles: async (registrations) => ({
    vehicles: findAll(registrations, sandboxVehicle, today),
    compliance: findAll(registrations, sandboxCompliance, today),
  }),
});

export const vehicleData = (db: DynamoDBDocumentClient, { vehicles }: { readonly vehicles: string }) => {
  const live = vehiclesTable(db, vehicles);
  return ({ kind, today }: LookupRequest) => ({ vehicles: kind === 'live' ? live : sandboxVehicleSource(today) });
};

export type VehicleData = ReturnType<ReturnType<typeof vehicleData>>;

export const complianceData = (db: DynamoDBDocumentClient, names: Parameters<typeof complianceTable>[1]) => {
  const live = complianceTable(db, names);
  return ({ kind, today }: LookupRequest) => ({ compliance: kind === 'live' ? live : sandboxComplianceSource(today) });
};

export type ComplianceData = ReturnType<ReturnType<typeof complianceData>>;
