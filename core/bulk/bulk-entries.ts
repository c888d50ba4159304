/** What both bulk endpoints share (docs/contract.md#bulk). */
import { ENTRY_SENTENCES } from '../problems.ts';
import type { LondonDate } from '../runtime/clock.ts';
import { invalidRegistrationSentence, normaliseRegistration, type RegistrationKey } from '../vehicles/registration.ts';
import { suggestionFor } from '../vehicles/suggestion.ts';

/** The key of each submitted registration, in order; undefined where it cannot be one. */
export type BulkKeys = readonly (RegistrationKey | undefined)[];

/** The keys of a bulk request; `distinct` are the keys to read. */
export const bulkKeys = (submitted: readonly string[]): { keys: BulkKeys; distinct: RegistrationKey[] } => {
  const keys = submitted.map(normaliseRegistration);
  return { keys, distinct: [...new Set(keys.filter((key) => key !== undefined))] };
};

/** Why an entry of a bulk request can fail. */
export type BulkEntryCode = keyof typeof ENTRY_SENTENCES | 'INVALID_REGISTRATION';

export const entryFailure = <Code extends keyof typeof ENTRY_SENTENCES>(code: Code) => ({
  error: ENTRY_SENTENCES[code],
  code,
});

export const invalidEntry = (submitted: string) => ({
  error: invalidRegistrationSentence(submitted),
  code: 'INVALID_REGISTRATION' as const,
});

/** With the registration that was probably meant. */
export const unknownVehicle = (key: RegistrationKey, today: LondonDate) => {
  const suggestion = suggestionFor(key, today);
  return { ...entryFailure('VEHICLE_NOT_FOUND'), ...(suggestion !== undefined && { suggestion }) };
};

/** Counts the results: a failed one has an `error`. */
export const bulkEnvelope = <Result extends object>(results: readonly Result[]) => {
  const failed = results.filter((result) => 'error' in result).length;
  return { results, processed: results.length, successful: results.length - failed, failed };
};
