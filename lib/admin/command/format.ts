const MAX_LENGTH = 160;

/** Makes text of a file or a command line safe to print: truncated, with control and format characters replaced. */
export const printable = (text: string, maxLength = MAX_LENGTH): string =>
  (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');

/** A whole number with separators, such as 20,000. */
export const formatNumber = (value: number): string => Math.round(value).toLocaleString('en-GB');
