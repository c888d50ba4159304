/** A header without a line end swallows the first row, which would be lost without a trace. */
import { isLikelyRegistration, patternOf } from './registration-cell.ts';
import { UnreadableFile } from './text.ts';

/** Maximum number of characters of a registration, with separators. */
const MAX_LENGTH = 20;
const MIN_LENGTH = 5;
const SEPARATORS = /[\s.\u2010-\u2015-]/g;
/** A registration at the end of a cell without separators. `driver1`, `DRIVER12` and `fines2025` end with none. */
const ENDS_WITH_REGISTRATION = /(?:\d\p{L}{1,3}|\p{L}(?!(?:19|20)\d\d$)\d{3,}|(?<=[\p{Ll}_])\p{Lu}+\d{1,2})$/u;
const NUMBERED_NAME = /^\p{L}[\p{L}\s_-]*\d{1,2}$/u;
const NUMBER_OR_DATE = /^\d[\d.,:/TZ -]+$/;

type NameTest = (name: string) => boolean;

/** Whether a text is a code in capitals, such as a registration or a VIN, that is too long for a part of a name. */
const isLongCode = (text: string): boolean => {
  const compact = text.replace(SEPARATORS, '');
  return (
    text.length <= MAX_LENGTH &&
    compact.length >= MIN_LENGTH &&
    /^[\p{Lu}\d].*[\p{Lu}\d]$/u.test(text) &&
    /^(?=.*\p{Lu})(?=.*\d)[\p{Lu}\d]*$/u.test(compact)
  );
};

/** A known name at the beginning of a cell, and the text that follows it at once. */
const splitsAfterName = (cell: string, isName: NameTest): [name: string, rest: string][] =>
  Array.from({ length: Math.min(cell.length, 2 * MAX_LENGTH) }, (_, at): [string, string] => [
    cell.slice(0, at + 1),
    cell.slice(at + 1),
  ]).filter(([name, rest]) => /[\p{L}\p{N}]$/u.test(name) && /^[\p{L}\p{N}]/u.test(rest) && isName(name));

const endsWithRow = (cell: string, isName: NameTest): boolean => {
  const [, afterSmallLetter = ''] = /[\p{Ll}_]([^\p{Ll}_]*)$/u.exec(cell) ?? [];
  return [afterSmallLetter, ...splitsAfterName(cell, isName).map(([, rest]) => rest)].some(isLongCode);
};

/** Whether a row stands behind a header, its first cell joined to the last name. @param at the index of that name */
const hasRowBehind = (names: readonly string[], at: number, isName: NameTest): boolean => {
  const cell = names[at] ?? '';
  const row = names.slice(at + 1, 2 * at + 1).filter((other) => !NUMBERED_NAME.test(other));
  const hasRow = row.some((other) => NUMBER_OR_DATE.test(other) || isLongCode(other));
  // The row begins with a blank cell.
  if (isName(cell)) return hasRow;
  // A single number may be the name of a column that is never filled.
  if (hasRow && at > 1) return true;
  if (ENDS_WITH_REGISTRATION.test(cell.replace(SEPARATORS, ''))) return true;
  const hasValues = row.some((other) => /\d/.test(other));
  const isNumbered = NUMBERED_NAME.test(cell);
  // `Region` and `RegNr2` begin with known names too: a value has a digit, or capitals after a small letter.
  return splitsAfterName(cell, isName).some(
    ([name, rest]) =>
      hasValues || (!isNumbered && /\d/.test(rest.slice(1))) || (/\p{Ll}$/u.test(name) && /^\p{Lu}{2,}$/u.test(rest)),
  );
};

/** Without quotes, which are text in a cell that is joined to a name, and without line ends of other systems. */
const plainText = (cell: string): string => cell.replace(/["\p{C}\p{Zl}\p{Zp}]/gu, '').trim();

const refuse = (cell: string): never => {
  const shown = JSON.stringify(cell.slice(0, 3 * MAX_LENGTH).replace(/\p{C}/gu, '\ufffd'));
  throw new UnreadableFile(`the header has swallowed a row: put a line end within its cell ${shown}`);
};

/**
 * @throws UnreadableFile when a name of the header is followed at once by a registration, and by no further name. In a
 * header as wide as the row below, such as that of a column `claims_FY2025`, it must be like a registration of that
 * row.
 */
export const requireHeaderAlone = (
  { names, below }: Readonly<Record<'names' | 'below', readonly string[]>>,
  isName: NameTest,
): void => {
  const last = names.findLastIndex(isName);
  const cell = names.slice(last + 1).find((name) => endsWithRow(plainText(name), isName));
  if (cell === undefined) return;
  const isAsWide = names.length === below.length && names.length > 2;
  const end = patternOf(cell);
  if (!isAsWide || below.some((one) => isLikelyRegistration(one) && end.endsWith(patternOf(one)))) refuse(cell);
};

/**
 * @param most cells of the longest row below the header; without any, the header may have swallowed the only one
 * @throws UnreadableFile when the header is as long as itself with a row, and seems to be both
 */
export const requireHeaderOfRows = (names: readonly string[], isName: NameTest, most: number): void => {
  const cells = most || Math.ceil(names.length / 2);
  if (names.length < 2 * cells - 1) return;
  if (hasRowBehind(names.map(plainText), cells - 1, isName)) refuse(names[cells - 1] ?? '');
};
