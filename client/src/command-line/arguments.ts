import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { REFERENCE } from '../../../core/reference.ts';
import { ANSWERABLE_DATE, dayAfter, isAnswerableDate, londonDate } from '../../../core/runtime/clock.ts';
import { parseEncoding } from '../../../csv/encoding.ts';
import { CannotRun } from './failure.ts';

export const HELP = `Usage: vehicle-verification check FILE --out RESULT.csv [options]
       vehicle-verification lookup REGISTRATION… [--compliance | --date DAY] [--json]
       vehicle-verification usage [--json]
       vehicle-verification help

check   copies a list, which is CSV or an Excel workbook (.xlsx), to RESULT.csv
        with further columns: whether each vehicle is insured or, with
        --compliance, compliant. It writes its files whole or not at all: a run
        that was stopped begins again. 100,000 vehicles are 100 requests for a
        premium key. A list of more vehicles than the allowance of your plan has
        left ends with an error: usage shows what is left.
  --column NAME         the column of registrations, if none has a usual name
  --sheet NAME          the sheet of a workbook, if several have such a column
  --header-line N       the line that names the columns, if it is none of the
                        first 20 rows, or has no usual name
  --encoding NAME       such as windows-1252, macintosh, ibm866 or utf-16le, if it
                        is not the one that the file seems to have
  --date YYYY-MM-DD     insurance on that day instead of today
  --compliance          compliance today instead of insurance
  --ending-within DAYS  lists what ends from today, or from --date, to that many
                        days later: insurance that does not go on and, with
                        --compliance, MOT and road tax
  --ending FILE.csv     the whole of that list
  --not-insured FILE.csv  all that are not insured (compliant), unknown or
                        invalid; the first 20 of each are printed
  --reference TEXT      your own number of this check, which the provider may log,
                        instead of the day and eight random letters; not a
                        registration. lookup takes it too
  --previous FILE.csv   lists what has changed since that earlier result, which
                        may be RESULT.csv itself
  --changes FILE.csv    the whole of that list
  --fail-on WHAT        exit code 3 when there is any: not-insured, changes,
                        ending, newly-ending (not in the file of --ending yet)
                        or unanswered (unknown, without a compliance record, or
                        invalid); several are separated by commas
  --force               overwrites files that are not earlier results
lookup  says of one or a few vehicles whether they are insured, today or on
        --date, or with --compliance whether they are compliant. A registration
        with a blank in it needs quotes.
  --json                the answer as JSON
usage   what the key may do, and what it has used; --json too.

--help prints this text, --version the version of the command.

The address is read from VEHICLE_VERIFICATION_BASE_URL, the key from
VEHICLE_VERIFICATION_API_KEY.
Exit codes: 0 every row has an answer, 1 some have none, 2 an error:
RESULT.csv is as it was, 130 stopped by Ctrl-C or a signal: likewise. With
--fail-on 3 when it has found something, otherwise 1 when rows were not read,
otherwise 0. lookup ends with 0 when every vehicle has an answer, and with 1
when one has none.`;

const FAIL_ON = ['not-insured', 'changes', 'ending', 'newly-ending', 'unanswered'] as const;
type FailOn = (typeof FAIL_ON)[number];

const parse = (args: string[]) => {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        column: { type: 'string' },
        sheet: { type: 'string' },
        'header-line': { type: 'string' },
        'not-insured': { type: 'string' },
        encoding: { type: 'string' },
        date: { type: 'string' },
        reference: { type: 'string' },
        compliance: { type: 'boolean', default: false },
        'ending-within': { type: 'string' },
        ending: { type: 'string' },
        previous: { type: 'string' },
        changes: { type: 'string' },
        'fail-on': { type: 'string', multiple: true, default: [] },
        force: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new CannotRun(`${(error as Error).message.split(/[.;\n]/)[0]}; see --help.`);
  }
};

type Values = ReturnType<typeof parse>['values'];

/** The value of an option, if it is given. @throws CannotRun when `read` returns undefined for it */
const readOption = <Value>(
  text: string | undefined,
  read: (text: string) => Value | undefined,
  problem: string,
): Value | undefined => {
  const value = text === undefined ? undefined : read(text);
  if (text !== undefined && value === undefined) throw new CannotRun(problem);
  return value;
};

const readDate = ({ date, compliance }: Values): string | undefined => {
  if (date !== undefined && compliance) throw new CannotRun('A compliance verdict is for today: leave out --date.');
  const read = (text: string) => (isAnswerableDate(text) ? text : undefined);
  return readOption(date, read, `--date ${date} must be ${ANSWERABLE_DATE}.`);
};

const readReference = ({ reference }: Values): string | undefined => {
  const problem = '--reference must be 1 to 64 letters (A to Z), digits and characters of ._:/-.';
  return readOption(reference, (text) => (REFERENCE.test(text) ? text : undefined), problem);
};

const readEnding = (text: string | undefined, from: string) => {
  if (text === undefined) return undefined;
  if (!/^\d{1,4}$/.test(text)) {
    throw new CannotRun(`--ending-within ${text} is not a number of days: write it as 30, at most 9999.`);
  }
  const to = dayAfter(from, Number(text));
  // The day after the last one must be one that the service knows.
  if (isAnswerableDate(dayAfter(to, 1))) return { from, to };
  throw new CannotRun(`--ending-within ${text} ends on ${to}, which the service cannot answer for: give fewer days.`);
};

const readFailOn = (name: string): FailOn => {
  const known = FAIL_ON.find((each) => each === name);
  if (known !== undefined) return known;
  throw new CannotRun(`--fail-on ${name} is not one of ${FAIL_ON.join(', ')}.`);
};

const readCheck = (values: Values, [source, ...more]: readonly string[]) => {
  const { out, column, sheet, previous, force, compliance: isCompliance } = values;
  const { ending: endingFile, changes: changesFile, 'not-insured': notInsuredFile } = values;
  if (source === undefined || more.length > 0) throw new CannotRun('Give one list to check; see --help.');
  if (!out) throw new CannotRun('Name the file for the result with --out.');
  if (!/\.csv$/i.test(out)) throw new CannotRun(`--out ${out} must end with .csv: the result is CSV, not a workbook.`);
  const date = readDate(values);
  const encoding = readOption(
    values.encoding,
    parseEncoding,
    `--encoding ${values.encoding} is not known: write it as windows-1252, macintosh or iso-8859-2.`,
  );
  const ending = readEnding(values['ending-within'], date ?? londonDate(new Date()));
  const failOn = values['fail-on'].flatMap((names) => names.split(',').map((name) => readFailOn(name.trim())));
  for (const [isUsed, name, needed] of [
    [endingFile !== undefined, '--ending', !ending && '--ending-within DAYS'],
    [failOn.includes('ending'), '--fail-on ending', !ending && '--ending-within DAYS'],
    [failOn.includes('newly-ending'), '--fail-on newly-ending', endingFile === undefined && '--ending FILE.csv'],
    [changesFile !== undefined, '--changes', !previous && '--previous FILE.csv'],
    [failOn.includes('changes'), '--fail-on changes', !previous && '--previous FILE.csv'],
  ] as const) {
    if (isUsed && needed) throw new CannotRun(`${name} needs ${needed}.`);
  }
  const outputs = [out, endingFile, changesFile, notInsuredFile].filter((path) => path !== undefined);
  if (new Set(outputs.map((path) => resolve(path))).size < outputs.length) {
    throw new CannotRun('--out, --ending, --changes and --not-insured must be different files.');
  }
  const headerLine = readOption(
    values['header-line'],
    (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
    `--header-line ${values['header-line']} is not the number of a line: write it as 4.`,
  );
  const reference = readReference(values);
  const list = { source, sheet, headerLine, column, encoding };
  const files = { out, endingFile, changesFile, notInsuredFile, previous, force };
  return { ...list, ...files, date, reference, isCompliance, ending, failOn };
};

const readLookup = (values: Values, registrations: readonly string[]) => {
  if (registrations.length === 0) throw new CannotRun('Give a registration, or a few; see --help.');
  const reference = readReference(values);
  return { registrations, date: readDate(values), reference, isCompliance: values.compliance, isJson: values.json };
};

export type CheckArguments = ReturnType<typeof readCheck>;
export type LookupArguments = ReturnType<typeof readLookup>;

export const readArguments = (args: string[]) => {
  const { values, positionals } = parse(args);
  const [command, ...operands] = positionals;
  if (values.help || command === 'help') return { command: 'help' } as const;
  if (values.version) return { command: 'version' } as const;
  if (command === 'check') return { command, ...readCheck(values, operands) } as const;
  if (command === 'lookup') return { command, ...readLookup(values, operands) } as const;
  if (command === 'usage' && operands.length === 0) return { command, isJson: values.json } as const;
  throw new CannotRun('The command is "check", "lookup", "usage" or "help".');
};
