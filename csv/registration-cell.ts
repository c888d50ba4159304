/** What spreadsheets and people write in place of a registration. */
import { nameKey, usualField } from './column-names.ts';

/** English, German, French, Spanish, Italian, Dutch and Polish, without accents, whole and shortened. */
const MONTHS = [
  'january february march april may june july august september october november december',
  'jan feb mar apr jun jul aug sep sept oct nov dec',
  'januar janner februar marz maerz mai juni juli oktober dezember mrz okt dez',
  'janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre janv fevr fev avr juil aou',
  'enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene abr ago dic set',
  'gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug ott',
  'januari februari maart mei augustus mrt',
  'styczen stycznia luty lutego marzec marca kwiecien kwietnia maj maja czerwiec czerwca lipiec lipca sierpien sierpnia',
  'wrzesien wrzesnia pazdziernik pazdziernika listopad listopada grudzien grudnia sty lut kwi cze lip sie wrz paz lis gru',
].join(' ');
const MONTH = `(?:${MONTHS.replaceAll(' ', '|')})\\.?`;
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const YEAR = '(?:19|20)\\d\\d';
const TWO_DIGITS = { day: '(?:0[1-9]|[12]\\d|3[01])', month: '(?:0[1-9]|1[0-2])' };

/** A blank alone never makes a date: `10 MAY` and `MAY 10` are registrations, and so is `MAY-10` in Finland. */
const DATES: readonly RegExp[] = [
  new RegExp(`^(?:${YEAR}([-./])${DAY}\\1${DAY}|${DAY}([-./])${DAY}\\2(?:${YEAR}|\\d\\d))$`),
  new RegExp(`^(?:${YEAR}${TWO_DIGITS.month}${TWO_DIGITS.day}|${TWO_DIGITS.day}${TWO_DIGITS.month}${YEAR})$`),
  new RegExp(`^${DAY}[-./] ?${MONTH}(?:[-./] ?\\d\\d)?$`, 'i'),
  new RegExp(`^${DAY}[-./ ]*${MONTH}[-./ ]*${YEAR}$`, 'i'),
];
/** `DEZ 2026` is a registration of Northern Ireland, and `MAI2026` the key under which `M-AI 2026` is stored. */
const MONTH_AND_YEAR = new RegExp(`^(?![A-Z]{2}Z ?\\d|[A-Z]+\\d)${MONTH}[-./ ]*${YEAR}$`, 'i');
const MONTH_OF_SPREADSHEET = new RegExp(`^${MONTH}-\\d\\d$`, 'i');

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words for a row that is no vehicle. Those in small letters need no list. */
const TOTALS = wordsOf(
  'total totals grandtotal grandtotals subtotal subtotals sum summe gesamt gesamtsumme zwischensumme soustotal totale totaal subtotaal suma razem',
);
/** Words for a registration that nobody knows, which are short or often in capitals. */
const UNKNOWN = wordsOf(
  [
    'na ka so nan nil none null tba tbc tbd nvt ditto unknown notknown notavailable noreg noplate unbekannt keine',
    'inconnu inconnue aucun aucune desconocido ninguno sconosciuto nessuno onbekend geen brak nieznany',
  ].join(' '),
);

const withoutAccents = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');

const isDate = (text: string): boolean => {
  const plain = withoutAccents(text)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ');
  const isOfSpreadsheet = /^\p{Lu}\p{Ll}+/u.test(plain) && MONTH_OF_SPREADSHEET.test(plain);
  return isOfSpreadsheet || MONTH_AND_YEAR.test(plain) || DATES.some((date) => date.test(plain));
};

/** The number of a line of a list, as in `2. AB12 CDE`. */
const LINE_NUMBER = /^\d{1,4}[.)]\s+(?=\S)/;

/** A registration of the form that Great Britain has issued since 2001, as a word of a text. */
const CURRENT_FORM = /(?:^|[^\p{L}\p{N}])[A-Z]{2}\d{2}\s?[A-Z]{3}(?:$|[^\p{L}\p{N}])/iu;

/** Whether a tab, a word, another registration or the number of its line stands beside a registration. */
const hasMore = (text: string): boolean => {
  if (text.includes('\t') || (patternOf(text).length > 'AB12CDE'.length && CURRENT_FORM.test(text))) return true;
  const rest = text.replace(LINE_NUMBER, '');
  if (rest !== text) return isLikelyRegistration(rest);
  if (patternOf(text).length <= MAX_USUAL) return false;
  return [...text.matchAll(/\s+/g)].slice(0, MAX_USUAL).some(({ index }) => {
    const behind = text.slice(index).trim();
    const front = text.slice(0, index);
    return (
      (isLikelyRegistration(front) && (/^[–—\p{L}\s]+$/u.test(behind) || isLikelyRegistration(behind))) ||
      (/^\p{L}?\p{Ll}+$/u.test(front) && isLikelyRegistration(behind))
    );
  });
};

/**
 * What a text is that stands in place of a registration; undefined when it may be a registration.
 * @param heading the name of the column in the file
 */
export const findPlaceholder = (text: string, heading = '') => {
  // A total may have its sum behind a colon; without one, `SUM 123` is a registration.
  const given = text.trim().replace(/:[\d.,\s]*$/, '');
  const key = nameKey(withoutAccents(given)).replace(/[^\p{L}\p{N}]/gu, '');
  if (isDate(given)) return 'a date';
  if (TOTALS.has(key)) return 'a total';
  if (UNKNOWN.has(key)) return 'a word';
  if (/^0+$/.test(key)) return 'only zeros';
  if (/^\d+\.0+$/.test(given)) return 'a number with a decimal point';
  const isHeading = given !== '' && (nameKey(given) === nameKey(heading) || usualField(given) !== undefined);
  // Lists that were joined without a line end: `AB12CDEVRM`.
  const isJoined = heading !== '' && given.endsWith(heading) && isLikelyRegistration(given.slice(0, -heading.length));
  if (isHeading) return 'the name of a column';
  // Registrations without a digit are rare, and then in capitals.
  if (key.length > 2 && /\p{Ll}/u.test(given) && !/\d/.test(given)) return 'a word';
  return isJoined || hasMore(given) ? 'more than a registration' : undefined;
};

/** Where registrations have letters and digits: `AA00AAA` for `AB12 CDE`. */
export const patternOf = (registration: string): string =>
  registration
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/\p{L}/gu, 'A')
    .replace(/\p{N}/gu, '0');

/** Whether a text may well be a registration: it has a digit, 12 letters and digits at most, and is no date. */
export const mayBeRegistration = (text: string): boolean =>
  /^(?=.*\d)[\p{L}\d\s.-]+$/u.test(text) && patternOf(text).length <= 12 && findPlaceholder(text) === undefined;

/** Letters and digits of the longest registrations that are usual. */
const MAX_USUAL = 8;

/** Whether a text is likely a registration: letters and digits, at least five of them, and nothing else. */
export const isLikelyRegistration = (text = ''): boolean => {
  const { length } = patternOf(text);
  return length >= 5 && length <= MAX_USUAL && /\p{L}/u.test(text) && mayBeRegistration(text);
};

/**
 * Whether text stands beside the registration in a column without a name, so that the registration may be spread over
 * both. Programs write numbers of rows into a first column without a name.
 */
export const hasTextBeside = (cells: readonly string[], column: number, names: readonly string[]): boolean =>
  [column - 1, column + 1].some((at) => at > 0 && names[at]?.trim() === '' && (cells[at] ?? '').trim() !== '');

/** Fields whose text is never a date or the registration of the vehicle, unless the cells of the row are shifted. */
const OTHER_FIELDS: ReadonlySet<string | null | undefined> = new Set(['make', 'color', 'insurer', 'policy_type']);
const DATE = /^(?:\d{4}-\d\d-\d\d|\d\d?([/.-])\d\d?\1\d{4})(?:[ T]|$)/;

/**
 * Whether a registration is likely in a next cell and not in its own.
 * @param fields by column: the number of a policy may look like a registration
 */
export const isInNextCell = (
  cells: readonly string[],
  column: number,
  fields: readonly (string | null | undefined)[] = [],
): boolean =>
  !isLikelyRegistration(cells[column]) &&
  [column - 1, column + 1].some((at) => fields[at] !== 'policy_number' && isLikelyRegistration(cells[at]));

/**
 * Whether the cells of a row seem to be shifted: the make, the colour, the insurer or the type of its row is a date or
 * the registration, or a row of another width has a registration in the next cell.
 * @param fields by column
 */
export const isShifted = (cells: readonly string[], column: number, fields: readonly (string | null | undefined)[]) => {
  const registration = nameKey(cells[column] ?? '');
  const others = cells.filter((_cell, index) => OTHER_FIELDS.has(fields[index]));
  const isOther = others.some(
    (cell) => DATE.test(cell.trim()) || (registration !== '' && nameKey(cell) === registration),
  );
  return isOther || (cells.length !== fields.length && isInNextCell(cells, column));
};

/**
 * Whether the file may end within the registration of its last row: nothing but a line end or a quote says that a cell
 * is whole.
 * @param patterns of other registrations of the file
 */
export const mayBeCut = (
  { cells, lastCharacter = '"' }: { readonly cells: readonly string[]; readonly lastCharacter?: string },
  column: number,
  patterns: ReadonlySet<string>,
): boolean => lastCharacter !== '"' && cells.length === column + 1 && !patterns.has(patternOf(cells[column] ?? ''));
