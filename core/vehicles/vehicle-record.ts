/**
 * The stored record of a vehicle. Its types, the checks of imports and of stored items, and the schemas of responses
 * are made from these schemas.
 */
import type { RecordOf } from '../schemas/record-schema.ts';

/** One insurance policy of a vehicle; its cover includes both dates. */
export const Policy = {
  type: 'object',
  required: ['number', 'insurer', 'validFrom', 'validTo', 'type'],
  properties: {
    number: { type: 'string', description: 'Policy number' },
    insurer: { type: 'string', description: 'Insurer name' },
    validFrom: { type: 'string', format: 'date', description: 'First day of cover, Europe/London' },
    validTo: { type: 'string', format: 'date', description: 'Last day of cover, Europe/London' },
    type: { type: 'string', description: 'Cover type' },
  },
  title: 'Policy',
} as const;

export type Policy = RecordOf<typeof Policy>;

export const VehicleDetails = {
  type: 'object',
  required: ['make', 'model', 'year', 'color'],
  properties: {
    make: { type: 'string' },
    model: { type: 'string' },
    year: { type: 'integer', description: 'Year of manufacture' },
    color: { type: 'string' },
  },
  title: 'Vehicle',
} as const;

export type VehicleDetails = RecordOf<typeof VehicleDetails>;

/** Keeps a record far below the 400 KB of a DynamoDB item. */
export const MAX_POLICIES = 20;

export const VehicleRecord = {
  type: 'object',
  required: ['registration', 'vehicle', 'policies', 'lastUpdated'],
  properties: {
    registration: { type: 'string' },
    vehicle: VehicleDetails,
    policies: { type: 'array', items: Policy, maxItems: MAX_POLICIES },
    lastUpdated: {
      type: 'string',
      format: 'date-time',
      description: 'When the record last changed at its source, UTC',
    },
  },
} as const;

export type VehicleRecord = RecordOf<typeof VehicleRecord>;

const { registration, policies, lastUpdated } = VehicleRecord.properties;

/** The part of a vehicle's record that a bulk request reads, which is less than half of it. */
export const InsuranceRecord = {
  type: 'object',
  required: ['registration', 'policies'],
  properties: { registration, policies, lastUpdated },
} as const;

export type InsuranceRecord = RecordOf<typeof InsuranceRecord>;
