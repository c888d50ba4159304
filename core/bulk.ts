/** The answers of both bulk endpoints, from the entries of a request and the records that were read. */
import type { BulkVerdictRecords } from './compliance/compliance-table.ts';
import { complianceAnswer, lacksRecord, type VerdictRequest } from './compliance/verdict.ts';
import type { InsuranceRequest } from './lookup.ts';
import { ENTRY_SENTENCES } from './problems.ts';
import type { LondonDate } from './runtime/clock.ts';
import type { Sources } from './sources.ts';
import { insuranceResult, insuranceStatus } from './vehicles/insurance.ts';
import { invalidRegistrationSentence, normaliseRegistration, type RegistrationKey } from './vehicles/registration.ts';
import { suggestionFor } from './vehicles/suggestion.ts';
import type { InsuranceRecord } from './vehicles/vehicle-record.ts';
import type { FoundRecords } from './vehicles/vehicles-table.ts';

interface BulkEntry {
  readonly sent: string;
  /** Undefined when the text cannot be a registration. */
  readonly key: RegistrationKey | undefined;
}

/** The entries of a bulk request, in order; `distinct` are the keys to read. */
export const bulkEntries = (sent: readonly string[]): { entries: BulkEntry[]; distinct: RegistrationKey[] } => {
  const entries = sent.map((text): BulkEntry => ({ sent: text, key: normaliseRegistration(text) }));
  return { entries, distinct: [...new Set(entries.map(({ key }) => key).filter((key) => key !== undefined))] };
};

export type BulkEntryCode = keyof typeof ENTRY_SENTENCES | 'INVALID_REGISTRATION';

const entryFailure = <Code extends keyof typeof ENTRY_SENTENCES>(code: Code) => ({
  error: ENTRY_SENTENCES[code],
  code,
});

const invalidEntry = (sent: string) => ({
  error: invalidRegistrationSentence(sent),
  code: 'INVALID_REGISTRATION' as const,
});

export const unknownVehicle = (key: RegistrationKey, today: LondonDate) => {
  const suggestion = suggestionFor(key, today);
  return { ...entryFailure('VEHICLE_NOT_FOUND'), ...(suggestion !== undefined && { suggestion }) };
};

/** Whether a result says that a vehicle is not insured, or unknown. */
const dependsOnSources = (result: object): boolean => {
  if ('code' in result) return result.code === 'VEHICLE_NOT_FOUND';
  return 'insured' in result && result.insured === false;
};

const bulkEnvelope = <Result extends object>(results: readonly Result[], sources: Sources | undefined) => {
  const failed = results.filter((result) => 'error' in result).length;
  return {
    results,
    processed: results.length,
    successful: results.length - failed,
    failed,
    ...(sources && results.some(dependsOnSources) && { sources }),
  };
};

const insuranceEntry = (
  { sent, key }: BulkEntry,
  { found, unread }: FoundRecords<InsuranceRecord>,
  today: LondonDate,
  asOf: LondonDate = today,
) => {
  const failed = { registration: sent, insured: false } as const;
  if (key === undefined) return { ...failed, ...invalidEntry(sent) };
  if (unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const record = found.get(key);
  if (record === undefined) return { ...failed, ...unknownVehicle(key, today) };
  return insuranceResult(sent, asOf, record.policies);
};

export const bulkInsuranceAnswer = (
  entries: readonly BulkEntry[],
  records: FoundRecords<InsuranceRecord>,
  { today, asOf, sources }: InsuranceRequest,
) => ({
  ...bulkEnvelope(
    entries.map((entry) => insuranceEntry(entry, records, today, asOf)),
    sources,
  ),
  ...(asOf && { asOf }),
});

/** The part of a bulk answer that the scope `vehicles:status` permits. */
export const bulkInsuranceStatus = ({ results, ...counts }: ReturnType<typeof bulkInsuranceAnswer>) => ({
  results: results.map((result) => ('code' in result ? result : insuranceStatus(result))),
  ...counts,
});

const complianceEntry = (
  { sent, key }: BulkEntry,
  { vehicles, compliance }: BulkVerdictRecords,
  request: VerdictRequest,
) => {
  const failed = { registration: sent, compliant: false } as const;
  if (key === undefined) return { ...failed, ...invalidEntry(sent) };
  if (vehicles.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const vehicle = vehicles.found.get(key);
  if (vehicle === undefined) return { ...failed, ...unknownVehicle(key, request.today) };
  if (compliance.unread.has(key)) return { ...failed, ...entryFailure('LOOKUP_UNAVAILABLE') };
  const parts = compliance.found.get(key) ?? {};
  if (lacksRecord(parts, request.checks)) return { ...failed, ...entryFailure('COMPLIANCE_NOT_FOUND') };
  return complianceAnswer(sent, vehicle, parts, request);
};

export const bulkComplianceAnswer = (
  entries: readonly BulkEntry[],
  records: BulkVerdictRecords,
  request: VerdictRequest & Pick<InsuranceRequest, 'sources'>,
) =>
  bulkEnvelope(
    entries.map((entry) => complianceEntry(entry, records, request)),
    request.sources,
  );
