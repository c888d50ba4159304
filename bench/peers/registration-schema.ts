/** The path's parameter as every peer's validator checks it: a plain pattern, cheaper than the product's own rule. */
export const REGISTRATION = /^[A-Za-z0-9]{1,12}$/;

/** The same as JSON Schema, for the validators that take it. */
export const registrationSchema = {
  type: 'object',
  required: ['registration'],
  properties: { registration: { type: 'string', pattern: REGISTRATION.source } },
} as const;
