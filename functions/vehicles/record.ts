import type { LondonDate } from '../runtime/clock.ts';

/** One insurance policy of a vehicle; both dates are included in its cover. */
export interface Policy {
  readonly number: string;
  readonly insurer: string;
  readonly validFrom: LondonDate;
  readonly validTo: LondonDate;
  readonly type: string;
}

/** What identifies a vehicle to a person. */
export interface VehicleDetails {
  readonly make: string;
  readonly model: string;
  readonly year: number;
  readonly color: string;
}

/** A vehicle as it is stored, under its normalised registration. */
export interface VehicleRecord {
  readonly registration: string;
  readonly vehicle: VehicleDetails;
  readonly policies: readonly Policy[];
  /** ISO 8601 UTC: when the record last changed at its source. */
  readonly lastUpdated: string;
}

/** A record's bounds (contract.md "Vehicle insurance"): they keep it far from DynamoDB's 400 KB an item. */
export const MAX_POLICIES = 20;
export const MAX_TEXT_LENGTH = 100;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const areTexts = (record: Record<string, unknown>, fields: readonly string[]): boolean =>
  fields.every((field) => typeof record[field] === 'string');

const isPolicy = (value: unknown): value is Policy =>
  isObject(value) && areTexts(value, ['number', 'insurer', 'validFrom', 'validTo', 'type']);

/** Whether a value read back from storage is a vehicle's policies. */
export const arePolicies = (value: unknown): value is readonly Policy[] =>
  Array.isArray(value) && value.every(isPolicy);

/** Whether a value read back from storage is a vehicle record, so that a damaged one is never answered from. */
export const isVehicleRecord = (value: unknown): value is VehicleRecord =>
  isObject(value) &&
  areTexts(value, ['registration', 'lastUpdated']) &&
  isObject(value.vehicle) &&
  areTexts(value.vehicle, ['make', 'model', 'color']) &&
  Number.isInteger(value.vehicle.year) &&
  arePolicies(value.policies);
