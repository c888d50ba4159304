/** The parts that both bulk endpoints share: reading entries and counting results (docs/contract.md#bulk). */
import { ENTRY_SENTENCES } from '../problems.ts';
import type { LondonDate } from '../runtime/clock.ts';
import { invalidRegistrationSentence, normaliseRegistration, type RegistrationKey } from '../vehicles/registration.ts';
import { suggestionFor } from '../vehicles/suggestion.ts';

export interface BulkEntry {
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

export const entryFailure = <Code extends keyof typeof ENTRY_SENTENCES>(code: Code) => ({
  error: ENTRY_SENTENCES[code],
  code,
});

export const invalidEntry = (sent: string) => ({
  error: invalidRegistrationSentence(sent),
  code: 'INVALID_REGISTRATION' as const,
});

/** The failure of a vehicle that is not stored, with the registration that was probably meant. */
export const unknownVehicle = (key: RegistrationKey, today: LondonDate) => {
  const suggestion = suggestionFor(key, today);
  return { ...entryFailure('VEHICLE_NOT_FOUND'), ...(suggestion !== undefined && { suggestion }) };
};

/** Counts the results: a failed one has an `error`. */
export const bulkEnvelope = <Result extends object>(results: readonly Result[]) => {
  const failed = results.filter((result) => 'error' in result).length;
  return { results, processed: results.length, successful: results.length - failed, failed };
};
