/** The caller's own reference of a lookup, in the header `X-Reference` (docs/contract.md#reference). */

/** The form of a reference. The document has this pattern too. */
export const REFERENCE = /^[A-Za-z0-9._:/-]{1,64}$/;

const lettersAndDigits = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();

/** Shorter texts, and texts of letters or digits alone, occur in references by chance. */
const isRecognisable = (compact: string): boolean =>
  compact.length >= 5 && /\p{L}/u.test(compact) && /\d/.test(compact);

/**
 * Whether a reference contains one of these registrations, in any case and with any separators. Texts that are no
 * registrations count too, because a mistyped one says as much about a vehicle.
 */
export const containsRegistration = (reference: string, registrations: readonly string[]): boolean => {
  const searched = lettersAndDigits(reference);
  return registrations.map(lettersAndDigits).some((compact) => isRecognisable(compact) && searched.includes(compact));
};

export const referenceIssue = (reference: string, registrations: readonly string[]): string | undefined => {
  if (!REFERENCE.test(reference)) return 'must be 1 to 64 letters (A to Z), digits and characters of ._:/-';
  return containsRegistration(reference, registrations) ? 'must not contain a registration of the request' : undefined;
};
