import * as T from 'typebox';

/**
 * A code in a response: a known code or any other string, so that clients generated from today's document accept later codes.
 * The static type is the known codes only: no others are sent.
 */
export const openCode = <const Code extends string>(codes: readonly Code[], options: T.TSchemaOptions = {}) =>
  T.Unsafe<Code>({ ...options, anyOf: [{ enum: [...codes] }, { type: 'string' }] });
