const MAX_LENGTH = 160;

/** Text of a file or of a command line as it is safe at a terminal: not too long, no control or bidirectional characters. */
export const printable = (text: string, maxLength = MAX_LENGTH): string =>
  (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
