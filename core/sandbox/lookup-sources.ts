/** What lookups read: the tables or, for keys of any other kind than live, the sandbox vehicles (docs/contract.md#sandbox). */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../access/api-key.ts';
import { complianceTable } from '../compliance/compliance-table.ts';
import { forcedError } from '../problems.ts';
import { londonDate } from '../runtime/clock.ts';
import type { RegistrationKey } from '../vehicles/registration.ts';
import { type FoundRecords, vehiclesTable } from '../vehicles/vehicles-table.ts';
import { sandboxCompliance, sandboxVehicle } from './sandbox-records.ts';

/**
 * Registrations for which the sandbox forces an outcome that is otherwise hard to provoke (docs/contract.md#sandbox), with the
 * error of each, by `RegistrationKey`. In a bulk request its entry is `LOOKUP_UNAVAILABLE`.
 */
export const FORCED_OUTCOMES = { ER19THR: 'RATE_LIMITED', ER19ERR: 'INTERNAL_ERROR' } as const;

const forcedCode = (registration: RegistrationKey) =>
  Object.entries(FORCED_OUTCOMES).find(([forced]) => forced === registration)?.[1];

/** Whether the outcome of a registration is forced. */
export const isForced = (registration: RegistrationKey): boolean => forcedCode(registration) !== undefined;

/** What decides where a request looks, and on which day sandbox vehicles are dated. */
interface LookupRequest {
  readonly keyKind: KeyKind;
  readonly now: Date;
}

type VehicleSource = Pick<ReturnType<typeof vehiclesTable>, 'find' | 'findMany'>;
type ComplianceSource = Pick<ReturnType<typeof complianceTable>, 'findWithVehicle' | 'findManyWithVehicles'>;

/** @throws the error that is forced for the registration */
export const requireUnforced = (registration: RegistrationKey): void => {
  const code = forcedCode(registration);
  if (code !== undefined) throw forcedError(code);
};

const findAll = <Found>(
  registrations: readonly RegistrationKey[],
  find: (registration: RegistrationKey) => Found | undefined,
): FoundRecords<Found> => ({
  found: new Map(
    registrations.flatMap((registration) => {
      const record = find(registration);
      return record === undefined ? [] : [[registration, record] as const];
    }),
  ),
  unread: new Set(registrations.filter(isForced)),
});

const sandboxVehicleSource = (now: Date): VehicleSource => {
  const today = londonDate(now);
  return {
    find: async (registration) => {
      requireUnforced(registration);
      return sandboxVehicle(registration, today);
    },
    findMany: async (registrations) => ({
      ...findAll(registrations, (registration) => sandboxVehicle(registration, today)),
      failure: undefined,
    }),
  };
};

const sandboxComplianceSource = (now: Date): ComplianceSource => {
  const today = londonDate(now);
  return {
    findWithVehicle: async (registration) => {
      requireUnforced(registration);
      return { vehicle: sandboxVehicle(registration, today), compliance: sandboxCompliance(registration, today) };
    },
    findManyWithVehicles: async (registrations) => ({
      vehicles: findAll(registrations, (registration) => sandboxVehicle(registration, today)),
      compliance: findAll(registrations, (registration) => sandboxCompliance(registration, today)),
    }),
  };
};

/**
 * The vehicles that a request sees.
 * @example
 * const vehicles = vehicleSource(db, tables.vehicles);
 * return { load: (request) => vehicles(request).find(registration) };
 */
export const vehicleSource = (
  db: DynamoDBDocumentClient,
  table: string,
): ((request: LookupRequest) => VehicleSource) => {
  const live = vehiclesTable(db, table);
  return ({ keyKind, now }) => (keyKind === 'live' ? live : sandboxVehicleSource(now));
};

/** The compliance records that a request sees, with their vehicles. */
export const complianceSource = (
  db: DynamoDBDocumentClient,
  names: Parameters<typeof complianceTable>[1],
): ((request: LookupRequest) => ComplianceSource) => {
  const live = complianceTable(db, names);
  return ({ keyKind, now }) => (keyKind === 'live' ? live : sandboxComplianceSource(now));
};
