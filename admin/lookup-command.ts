import { type Command, InvalidArgumentError } from 'commander';
import { batchGet } from '../core/aws/batch-get.ts';
import type { DynamoItem } from '../core/aws/database.ts';
import { ComplianceRecord, hasPart } from '../core/compliance/compliance-record.ts';
import { parseVerdictRecords } from '../core/compliance/compliance-table.ts';
import type { ComplianceAnswer } from '../core/compliance/verdict.ts';
import { readFinishedLoads } from '../core/finished-loads.ts';
import { lookUpCompliance, lookUpInsurance } from '../core/lookup.ts';
import { ApiError, internalError, problems } from '../core/problems.ts';
import { ANSWERABLE_DATE, isAnswerableDate, type LondonDate, londonDate } from '../core/runtime/clock.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { parseStored, readStored, UnreadableRecord } from '../core/schemas/record-schema.ts';
import { type Sources, sourcesAt } from '../core/sources.ts';
import { expectedSuppliers } from '../core/stage/intake-entry.ts';
import { NAMELESS } from '../core/stage/outputs.ts';
import { Erasure, hasNoRecord, isErased, UndoneErasure } from '../core/vehicles/erasure.ts';
import type { InsuranceAnswer } from '../core/vehicles/insurance.ts';
import { normaliseRegistration, type Registration, registrationIssue } from '../core/vehicles/registration.ts';
import { VehicleRecord } from '../core/vehicles/vehicle-record.ts';
import { recordKey } from '../core/vehicles/vehicles-table.ts';
import { CommandFailure, type CommandResult } from './command/command-result.ts';
import { exampleOf, formatNumber, printable } from './command/format.ts';
import { type CommandContext, type Runner, tableName } from './deployment/deployment.ts';
import { readSuppliedVehicle, type SuppliedVehicle } from './records/vehicle-parts.ts';

const READ_TIMEOUT_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
const LABEL_WIDTH = 14;

interface Answer<Body> {
  readonly status: number;
  readonly body?: Body;
  /** Without the fields that differ each time, such as the request id. */
  readonly error?: Pick<ApiError, 'code'> & ApiError['extension'] & { readonly detail: string };
}

const rejected = ({ code, message: detail, extension }: ApiError): Answer<never> => ({
  status: problems[code].status,
  error: { code, detail, ...extension },
});

/** What the API answers: 500 when a record that the answer needs is damaged. */
const answerOf = <Body>(answer: () => Body): Answer<Body> => {
  try {
    return { status: 200, body: answer() };
  } catch (error) {
    if (error instanceof ApiError) return rejected(error);
    if (error instanceof UnreadableRecord) return rejected(internalError());
    throw error;
  }
};

const describeAge = (lastUpdated: string | undefined, now: Date): string => {
  if (lastUpdated === undefined) return 'unknown';
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(lastUpdated)) / DAY_MS));
  const ago = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${formatNumber(days)} days`;
  return `${lastUpdated}, ${ago} ago`;
};

type Line = readonly [label: string, text: string];

const describeVehicle = ({ make, model, year, color }: VehicleRecord['vehicle']): string =>
  `${make} ${model}, ${year}, ${color}`;

const vehicleLines = ({ vehicle, policies, lastUpdated, supplied = {} }: SuppliedVehicle, now: Date): Line[] => [
  ['Vehicle', describeVehicle(vehicle)],
  ...policies.flatMap(({ number, insurer, validFrom, validTo, type, supplier }): Line[] => [
    ['Policy', `${number}, ${validFrom} to ${validTo}`],
    ['', `${type}; insurer: ${insurer}`],
    ...(supplier === undefined ? [] : [['', `supplied by ${supplier}`] as const]),
  ]),
  ...(policies.length === 0 ? [['Policy', 'none'] as const] : []),
  ['Last updated', describeAge(lastUpdated, now)],
  ...Object.entries(supplied).flatMap(([name, details]): Line[] => [
    ['Supplier', `${name === NAMELESS ? 'without a name' : name}: ${describeAge(details.lastUpdated, now)}`],
    ['', describeVehicle(details.vehicle)],
  ]),
];

const motText = (mot: NonNullable<ComplianceRecord['mot']>): string =>
  'dueDate' in mot ? `until ${mot.dueDate}` : 'exempt';

const roadTaxText = (roadTax: NonNullable<ComplianceRecord['roadTax']>): string => {
  if ('paidUntil' in roadTax) return `until ${roadTax.paidUntil}`;
  return 'sorn' in roadTax ? 'SORN' : 'exempt';
};

const complianceLines = ({ mot, roadTax, fines }: ComplianceRecord, now: Date): Line[] => {
  const partLines = (label: string, text: string | undefined, lastUpdated: string | undefined): Line[] => {
    const age = text === undefined ? [] : [['', `last updated ${describeAge(lastUpdated, now)}`] as const];
    return [[label, text ?? 'unknown'], ...age];
  };
  return [
    ...partLines('MOT', mot && motText(mot), mot?.lastUpdated),
    ...partLines('Road tax', roadTax && roadTaxText(roadTax), roadTax?.lastUpdated),
    ...partLines('Unpaid fines', fines && formatNumber(fines.outstanding), fines?.lastUpdated),
  ];
};

const describeMissing = (item: DynamoItem | undefined): string =>
  item ? 'the stored record is damaged; remove it, then load it again' : 'none is stored';

const answerLines = <Body>(label: string, answer: Answer<Body>, textsOf: (body: Body) => string[]): Line[] => {
  const { status, body, error: { code, detail, suggestion } = {} } = answer;
  const meant = suggestion ? `, perhaps ${suggestion} is meant` : '';
  const texts = body ? textsOf(body) : [`${status} ${code}${meant}`, `${detail}`];
  return texts.map((text, index) => [index === 0 ? label : '', text]);
};

const whyInsured = ({ insured, status, policy }: InsuranceAnswer): string[] => {
  const reasons = {
    IN_FORCE: `policy ${policy?.number} is in force until ${policy?.validTo}`,
    LAPSED: `policy ${policy?.number} ended on ${policy?.validTo}`,
    NOT_STARTED: `policy ${policy?.number} begins on ${policy?.validFrom}`,
    NONE: 'no policy is stored',
  };
  return [insured ? 'insured' : 'not insured', reasons[status]];
};

const whyCompliant = ({ compliant, reasons }: ComplianceAnswer): string[] =>
  compliant ? ['compliant'] : ['not compliant', reasons.join(', ')];

export const parseRegistration = (raw: string): Registration => {
  const key = normaliseRegistration(raw);
  if (key !== undefined) return { sent: raw, key };
  throw new CommandFailure(`the registration ${printable(raw)} ${registrationIssue(raw)}`);
};

/** As answers have them, where the stack has an intake. */
const findSources = async (now: Date, { deployment }: CommandContext): Promise<Sources | undefined> => {
  const expected = expectedSuppliers(deployment.intake?.entries ?? []);
  if (Object.keys(expected).length === 0) return undefined;
  return sourcesAt(now, expected, await readFinishedLoads(deployment.db, tableName(deployment, 'usage')));
};

const lookUp = async (raw: string, asOf: LondonDate | undefined, context: CommandContext): Promise<CommandResult> => {
  const registration = parseRegistration(raw);
  const { deployment } = context;
  const tables = [tableName(deployment, 'vehicles'), tableName(deployment, 'compliance')];
  const now = context.now();
  const today = londonDate(now);
  const day = asOf ?? today;
  const reads = tables.map((table) => ({ table }));
  const keys = [recordKey(registration.key)];
  const { items, failure } = await batchGet(deployment.db, reads, keys, deadlineIn(READ_TIMEOUT_MS));
  if (failure !== undefined) throw failure;
  const found = tables.map((table) => items.get(table)?.[0]);
  const erasure = found.find((item) => item && isErased(item));
  const erased = readStored(Erasure, erasure)?.erased;
  const undone = found.map((item) => readStored(UndoneErasure, item)?.erasureUndone).find(Boolean);
  const records = erasure ? [] : found.map((item) => (item && hasNoRecord(item) ? undefined : item));
  const [vehicleItem, complianceItem] = records;
  const vehicle = vehicleItem && readSuppliedVehicle(vehicleItem);
  const compliance = readStored(ComplianceRecord, complianceItem);
  const sources = await findSources(now, context);
  const insurance = answerOf(() => {
    const record = vehicleItem && parseStored(VehicleRecord, vehicleItem);
    return lookUpInsurance(registration, record, { today, asOf, sources: asOf === undefined ? sources : undefined });
  });
  const verdict = answerOf(() =>
    lookUpCompliance(registration, parseVerdictRecords(vehicleItem, complianceItem), {
      now,
      today,
      sources,
      checks: deployment.checks,
    }),
  );
  const lines: Line[] = [
    ['Registration', registration.key],
    ...(erasure ? [['Erased', erased ? `${erased.at}, by ${erased.by}` : 'damaged'] as const] : []),
    ...(undone && !erasure ? [['Erasure', `undone ${undone}`] as const] : []),
    ...(vehicle ? vehicleLines(vehicle, now) : [['Vehicle', describeMissing(vehicleItem)] as const]),
    ...(compliance && hasPart(compliance)
      ? complianceLines(compliance, now)
      : [['Compliance', describeMissing(compliance ? undefined : complianceItem)] as const]),
    ['', ''],
    ['The API', day === today ? `on ${day}` : `insurance on ${day}, compliance on ${today}`],
    ...answerLines('insurance', insurance, whyInsured),
    ...answerLines('compliance', verdict, whyCompliant),
    ...(sources ? [['sources', `${sources.current} of ${sources.expected} suppliers are current`] as const] : []),
  ];
  return {
    text: lines.map(([label, text]) => `${`${label.padEnd(LABEL_WIDTH)}${printable(text, 300)}`.trimEnd()}\n`).join(''),
    data: {
      registration: registration.key,
      today,
      stored: { vehicle: vehicle ?? null, compliance: compliance ?? null, erased: erased ?? null },
      answers: { insurance, compliance: verdict },
    },
  };
};

const parseAnswerableDay = (text: string): LondonDate => {
  if (isAnswerableDate(text)) return text;
  throw new InvalidArgumentError(`Write ${ANSWERABLE_DATE}.`);
};

export const addLookupCommand = (program: Command, run: Runner): void => {
  program
    .command('lookup')
    .description('what is stored of a vehicle, and what the API answers and why; of several, one after the other')
    .argument('<registrations...>', 'each in any spelling; write quotes around one with a space, as in "AB12 CDE"')
    .option(
      '--date <day>',
      'insurance on this day instead of today, YYYY-MM-DD; compliance is always of today',
      parseAnswerableDay,
    )
    .addHelpText('after', exampleOf('lookup "AB12 CDE" KR08NIL --date 2026-01-31'))
    .action((given: readonly string[], { date }: { date?: LondonDate }) =>
      run(async (context) => {
        given.forEach(parseRegistration);
        const results: CommandResult[] = [];
        for (const raw of given) results.push(await lookUp(raw, date, context));
        const [only, ...more] = results;
        if (only !== undefined && more.length === 0) return only;
        return { text: results.map(({ text }) => text).join('\n'), data: results.map(({ data }) => data) };
      }),
    );
};
