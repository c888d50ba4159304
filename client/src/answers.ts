/** Whether a value of a response has the type that it should have. */
type IsValid = (value: unknown) => boolean;

const text: IsValid = (value) => typeof value === 'string';
const number: IsValid = (value) => typeof value === 'number';
const boolean: IsValid = (value) => typeof value === 'boolean';
/** Also null or absent: an answer is valid without such a detail. */
const optional =
  (isValid: IsValid): IsValid =>
  (value) =>
    value === undefined || value === null || isValid(value);
const listOf =
  (isValid: IsValid): IsValid =>
  (value) =>
    Array.isArray(value) && value.every(isValid);
const object =
  (members: Readonly<Record<string, IsValid>>): IsValid =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(members).every(([name, isValid]) => isValid((value as Readonly<Record<string, unknown>>)[name]));

/** An entry of a bulk result has a code only where it has no answer. */
const entry = {
  registration: text,
  suggestion: optional(text),
  code: (value: unknown) => value === undefined || (text(value) && value !== ''),
};
const someText = optional(text);
const someObject = (members: Readonly<Record<string, IsValid>>) => optional(object(members));

/** Whether an entry of a bulk result has the fields of its kind, by its verdict. */
export const isValidEntry = {
  insured: object({
    ...entry,
    insured: boolean,
    // A signed problem document has its HTTP status there.
    status: optional((value) => text(value) || number(value)),
    policy: someObject({ number: someText, insurer: someText, type: someText, validFrom: someText, validTo: someText }),
  }),
  compliant: object({
    ...entry,
    compliant: boolean,
    reasons: optional(listOf(text)),
    details: someObject({
      insurance: someObject({ validTo: someText }),
      mot: someObject({ dueDate: someText }),
      roadTax: someObject({ paidUntil: someText }),
      fines: someObject({ outstanding: optional(number) }),
    }),
  }),
};

/** Registrations: a body has at most 1 MB, and a registration with its quotes and comma about 10 bytes. */
const MAX_BULK_SIZE = 100_000;

/** Whether a response is the usage of a key, with limits that can be right. */
export const isValidUsage: IsValid = object({
  key: object({ name: text, environment: text, expires: someText, scopes: listOf(text), plan: text }),
  limits: object({
    requestsPerWindow: number,
    windowSeconds: number,
    registrationsPerBulk: (size) => Number.isInteger(size) && Number(size) >= 1 && Number(size) <= MAX_BULK_SIZE,
  }),
  window: object({ used: number, remaining: number, resetsAt: text }),
  hours: listOf(object({ requests: number, rateLimited: number })),
});

/** Whether a response is a page of content. Without `next` it is none: the walk would end early. */
export const isValidPage: IsValid = object({
  items: listOf(object({})),
  next: (value) => value === null || (text(value) && value !== ''),
});

/** Whether the claims of a signed answer have what this client reads. */
export const isValidClaims: IsValid = object({
  ...{ iss: text, aud: text, jti: text, status: number },
  // The last second that a date can have.
  iat: (seconds) => Number.isInteger(seconds) && Math.abs(Number(seconds)) <= 8.64e12,
  request: object({ method: text, path: text }),
  sandbox: optional(boolean),
});
