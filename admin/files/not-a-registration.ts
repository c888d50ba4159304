import { withoutSeparators } from '../../core/vehicles/registration.ts';

/** In English, German, French, Spanish, Italian, Dutch and Polish, without accents. Short forms may end in a full stop. */
const MONTHS = [
  ...['jan', 'janv', 'january', 'januar', 'jaenner', 'janner', 'janvier', 'ene', 'enero', 'gen', 'gennaio', 'januari'],
  ...['sty', 'styczen', 'stycznia', 'feb', 'february', 'februar', 'fev', 'fevr', 'fevrier', 'febrero', 'febbraio'],
  ...['februari', 'lut', 'luty', 'lutego', 'mar', 'march', 'marz', 'maerz', 'mrz', 'mars', 'marzo', 'mrt', 'maart'],
  ...['marzec', 'marca', 'apr', 'april', 'avr', 'avril', 'abr', 'abril', 'aprile', 'kwi', 'kwiecien', 'kwietnia'],
  ...['may', 'mai', 'mayo', 'mag', 'maggio', 'mei', 'maj', 'maja', 'jun', 'june', 'juni', 'juin', 'junio', 'giu'],
  ...['giugno', 'cze', 'czerwiec', 'czerwca', 'jul', 'july', 'juli', 'juil', 'juillet', 'julio', 'lug', 'luglio'],
  ...['lip', 'lipiec', 'lipca', 'aug', 'august', 'aout', 'ago', 'agosto', 'augustus', 'sie', 'sierpien', 'sierpnia'],
  ...['sep', 'sept', 'september', 'septembre', 'septiembre', 'set', 'settembre', 'wrz', 'wrzesien', 'wrzesnia', 'oct'],
  ...['october', 'okt', 'oktober', 'octobre', 'octubre', 'ott', 'ottobre', 'paz', 'pazdziernik', 'pazdziernika', 'nov'],
  ...['november', 'novembre', 'noviembre', 'lis', 'listopad', 'listopada', 'dec', 'december', 'dez', 'dezember'],
  ...['decembre', 'dic', 'diciembre', 'dicembre', 'gru', 'grudzien', 'grudnia'],
].join('|');

const YEAR = '(?:19|20)\\d{2}';
const [DAY, MONTH] = ['(?:0?[1-9]|[12]\\d|3[01])', '(?:0?[1-9]|1[0-2])'];
/** The month before or after the day. */
const DAY_AND_MONTH = (separator: string) => `(?:${DAY}${separator}${MONTH}|${MONTH}${separator}${DAY})`;

/** Texts in small letters and without accents. A blank alone makes no date: `10 MAY` and `MAY 10` are registrations. */
const DATES = [
  ...['-', '\\.', '/'].flatMap((separator) => [
    `${YEAR}${separator}${DAY_AND_MONTH(separator)}`,
    `${DAY_AND_MONTH(separator)}${separator}(?:\\d{2}|${YEAR})`,
  ]),
  `${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])`,
  `(?:0[1-9]|[12]\\d|3[01])(?:0[1-9]|1[0-2])${YEAR}`,
  `${DAY}[-./] ?(?:${MONTHS})\\.?(?:[-./ ]+(?:\\d{2}|${YEAR}))?`,
  `${DAY} ?(?:${MONTHS})\\.? ?${YEAR}`,
  `(?:${MONTHS})\\.?[-./ ]+${YEAR}`,
].map((pattern) => new RegExp(`^${pattern}$`));

/** Only a spreadsheet writes a capital and small letters: `MAY-10` is a registration in Finland. */
const MONTH_AND_NUMBER = new RegExp(`^(?:${MONTHS})-\\d{2}$`);
/** Registrations of Northern Ireland, whose letters are a short month in `DEZ 2026`. */
const NORTHERN_IRISH = /^[A-Z]{2}Z ?\d{1,4}$/;

/** Words for a row that is no vehicle, for a registration that is not known, and for the column, without separators. */
const WORDS = new Set([
  ...['total', 'totals', 'grandtotal', 'subtotal', 'sum', 'summe', 'gesamt', 'gesamtsumme', 'zwischensumme'],
  ...['soustotal', 'totale', 'totaal', 'subtotaal', 'eindtotaal', 'suma', 'razem', 'ditto', 'asabove'],
  ...['na', 'n/a', '#n/a', 'nan', 'none', 'null', 'nil', 'tbc', 'tba', 'tbd', 'unknown', 'notknown', 'notavailable'],
  ...['unbekannt', 'nichtbekannt', 'inconnu', 'inconnue', 'aucun', 'aucune', 'desconocido', 'ninguno'],
  ...['sconosciuto', 'nessuno', 'onbekend', 'geen', 'brak', 'nieznany'],
  ...[
    'registration',
    'registrationnumber',
    'registrationno',
    'regno',
    'regplate',
    'plate',
    'numberplate',
    'vrm',
    'vrn',
  ],
  ...['kennzeichen', 'amtlkennzeichen', 'indexno'],
]);

/** A clause that says why a text is no registration although it has the form of one; undefined when it may be one. */
export const notRegistrationClause = (given: string): string | undefined => {
  const text = given.trim();
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const isMonth = MONTH_AND_NUMBER.test(plain) && /^\p{Lu}\p{Ll}/u.test(text);
  if (isMonth || (!NORTHERN_IRISH.test(text) && DATES.some((date) => date.test(plain)))) {
    return 'has a date in place of its registration, as spreadsheets change one';
  }
  return WORDS.has(withoutSeparators(plain)) ? 'has a word in place of its registration' : undefined;
};
