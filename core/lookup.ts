/** The answers of both lookups of one vehicle, from its records. */
import type { parseVerdictRecords } from './compliance/compliance-table.ts';
import { type ComplianceAnswer, complianceAnswer, lacksRecord, type VerdictRequest } from './compliance/verdict.ts';
import { complianceNotFound, vehicleNotFound } from './problems.ts';
import type { LondonDate } from './runtime/clock.ts';
import type { Sources } from './sources.ts';
import { type InsuranceAnswer, insuranceAnswer } from './vehicles/insurance.ts';
import type { Registration } from './vehicles/registration.ts';
import { suggestionFor } from './vehicles/suggestion.ts';
import type { VehicleRecord } from './vehicles/vehicle-record.ts';

/** The facts of a request that its answers depend on. */
export interface InsuranceRequest {
  readonly today: LondonDate;
  /** The day to answer for instead of today. */
  readonly asOf?: LondonDate | undefined;
  readonly sources?: Sources | undefined;
}

/** @throws VEHICLE_NOT_FOUND */
export const lookUpInsurance = (
  { sent, key }: Registration,
  vehicle: VehicleRecord | undefined,
  { today, asOf, sources }: InsuranceRequest,
): InsuranceAnswer & { readonly sources?: Sources } => {
  if (vehicle === undefined) throw vehicleNotFound(suggestionFor(key, today), sources);
  const answer = insuranceAnswer(sent, vehicle, today, asOf);
  return sources === undefined || answer.insured ? answer : { ...answer, sources };
};

/** @throws VEHICLE_NOT_FOUND, COMPLIANCE_NOT_FOUND */
export const lookUpCompliance = (
  { sent, key }: Registration,
  { vehicle, compliance }: ReturnType<typeof parseVerdictRecords>,
  request: VerdictRequest & Pick<InsuranceRequest, 'sources'>,
): ComplianceAnswer => {
  if (vehicle === undefined) throw vehicleNotFound(suggestionFor(key, request.today), request.sources);
  if (lacksRecord(compliance ?? {}, request.checks)) throw complianceNotFound();
  return complianceAnswer(sent, vehicle, compliance ?? {}, request);
};
