/** The answers of both lookups of one vehicle, from its records. */
import type { ComplianceRecord } from './compliance/compliance-record.ts';
import { type ComplianceAnswer, complianceAnswer, lacksRecord, type VerdictRequest } from './compliance/verdict.ts';
import { complianceNotFound, vehicleNotFound } from './problems.ts';
import type { LondonDate } from './runtime/clock.ts';
import { type InsuranceAnswer, insuranceAnswer } from './vehicles/insurance.ts';
import type { Registration } from './vehicles/registration.ts';
import { suggestionFor } from './vehicles/suggestion.ts';
import type { VehicleRecord } from './vehicles/vehicle-record.ts';

/** @throws VEHICLE_NOT_FOUND */
export const lookUpInsurance = (
  { sent, key }: Registration,
  vehicle: VehicleRecord | undefined,
  today: LondonDate,
  asOf?: LondonDate,
): InsuranceAnswer => {
  if (vehicle === undefined) throw vehicleNotFound(suggestionFor(key, today));
  return insuranceAnswer(sent, vehicle, today, asOf);
};

interface VerdictRecords {
  readonly vehicle: VehicleRecord | undefined;
  readonly compliance: ComplianceRecord | undefined;
}

/** @throws VEHICLE_NOT_FOUND, COMPLIANCE_NOT_FOUND */
export const lookUpCompliance = (
  { sent, key }: Registration,
  { vehicle, compliance }: VerdictRecords,
  request: VerdictRequest,
): ComplianceAnswer => {
  if (vehicle === undefined) throw vehicleNotFound(suggestionFor(key, request.today));
  if (lacksRecord(compliance ?? {}, request.checks)) throw complianceNotFound();
  return complianceAnswer(sent, vehicle, compliance ?? {}, request);
};
