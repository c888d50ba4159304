/** Why a text cannot be trusted to be what was written: a decoder puts U+FFFD where the bytes were not UTF-8. */
export const encodingIssues = (text: string): string[] =>
  text.includes('\uFFFD') ? ['the row has bytes that are not UTF-8; save the file as UTF-8'] : [];
