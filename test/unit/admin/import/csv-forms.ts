/** Names of the column of registrations, as people write them. */
const NAMES = [
  ...['REG', 'Reg. No.', 'registration_number', 'Vehicle Registration', 'Vehicle Reg No', 'VRM', 'vrn', 'Reg Plate'],
  ...['Number Plate', 'Licence plate no.', 'Index No', 'Kennzeichen', 'Amtl. Kennzeichen'],
];

/** A CSV file as it is on the disk. */
type Written = (csv: string) => string | Buffer;

/**
 * The forms in which offices have CSV files, and how a CSV with commas, line feeds, a column `registration` and Latin-1
 * is written in each. `import`, `remove` and the client's `check` read all of them. Every other encoding, delimiter and
 * line end: right-or-refused.test.ts.
 */
export const CSV_FORMS: [form: string, written: Written][] = [
  ['a sep= line', (csv) => `sep=|\r\n${csv.replaceAll(',', '|')}`],
  ['a sep= line that was saved again', (csv) => `"sep=;"${';'.repeat(10)}\r\n${csv.replaceAll(',', ';')}`],
  ['a byte order mark, CRLF and blank lines', (csv) => `\uFEFF${csv.replaceAll('\n', '\r\n\r\n')}`],
  ['rows of empty cells', (csv) => csv.replaceAll('\n', '\n,\n , \n')],
  ['carriage returns, then line feeds', (csv) => csv.replace('\n', '\r')],
  ['each cell quoted', (csv) => csv.replace(/[^,\n]+/g, '"$&"')],
  ['UTF-16, little endian', (csv) => Buffer.from(`\uFEFF${csv.replaceAll(',', '\t')}`, 'utf16le')],
  ['Windows-1252', (csv) => Buffer.from(csv, 'latin1')],
  ['Windows-1252 that ends without a line end', (csv) => Buffer.from(csv.trimEnd(), 'latin1')],
  ...NAMES.map((name): [string, Written] => [
    `the registration as ${name}`,
    (csv) => csv.replace('registration', name),
  ]),
];

/** Headers with two columns that could be the registration. */
export const AMBIGUOUS_HEADERS = ['registration,Plate', 'Reg No,note,VRM'];
