import { problems } from '../problems.ts';
import type { LondonDate } from '../runtime/clock.ts';
import { insuranceOn, isInsured } from './insurance.ts';
import { normaliseRegistration } from './registration.ts';
import type { BULK_ENTRY_CODES, BulkEntry } from './schemas.ts';
import type { FoundPolicies } from './vehicles-table.ts';

/** Registrations above which a bulk request is an expensive read: it waits for admission (design.md "Admission"). */
const MAX_CHEAP_REGISTRATIONS = 25;

export const isExpensiveBulk = (submitted: readonly string[]): boolean => submitted.length > MAX_CHEAP_REGISTRATIONS;

/** The key of each submitted registration, in order; undefined where it cannot be one. */
export type BulkKeys = readonly (string | undefined)[];

/** The keys of a bulk request, and of these the ones to read: each once. */
export const bulkKeys = (submitted: readonly string[]): { readonly keys: BulkKeys; readonly distinct: string[] } => {
  const keys = submitted.map(normaliseRegistration);
  return { keys, distinct: [...new Set(keys.filter((key) => key !== undefined))] };
};

const ERRORS: Readonly<Record<(typeof BULK_ENTRY_CODES)[number], string>> = {
  VEHICLE_NOT_FOUND: problems.VEHICLE_NOT_FOUND.detail,
  INVALID_REGISTRATION: problems.INVALID_REGISTRATION.detail,
  LOOKUP_UNAVAILABLE: 'This registration could not be looked up just now; ask for it again.',
};

const failure = (registration: string, code: keyof typeof ERRORS): BulkEntry => ({
  registration,
  insured: false,
  error: ERRORS[code],
  code,
});

const verify = (
  registration: string,
  key: string | undefined,
  { found, unread }: FoundPolicies,
  today: LondonDate,
): BulkEntry => {
  if (key === undefined) return failure(registration, 'INVALID_REGISTRATION');
  if (unread.has(key)) return failure(registration, 'LOOKUP_UNAVAILABLE');
  const policies = found.get(key);
  if (policies === undefined) return failure(registration, 'VEHICLE_NOT_FOUND');
  const insurance = insuranceOn(today, policies);
  return { registration, insured: isInsured(insurance), policy: insurance.policy };
};

/**
 * One result per submitted entry, in order, duplicates included (specification section 4.2, contract.md "Bulk").
 * @param keys of the entries, as `bulkKeys` gives them
 */
export const verifyBulk = (
  submitted: readonly string[],
  keys: BulkKeys,
  policies: FoundPolicies,
  today: LondonDate,
) => {
  const results = submitted.map((registration, index) => verify(registration, keys[index], policies, today));
  const failed = results.filter((result) => 'error' in result).length;
  return { results, processed: results.length, successful: results.length - failed, failed };
};
