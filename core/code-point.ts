/** The code point of a character as Unicode writes it, such as U+00C1. */
export const codePointOf = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
