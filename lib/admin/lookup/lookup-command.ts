import type { Command } from 'commander';
import { complianceTable } from '../../../core/compliance/compliance-table.ts';
import type { ComplianceRecord } from '../../../core/compliance/record.ts';
import { type ComplianceAnswer, complianceAnswer } from '../../../core/compliance/verdict.ts';
import { ApiError, apiError, problems } from '../../../core/problems.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { deadlineIn } from '../../../core/runtime/deadline.ts';
import { UnreadableRecord } from '../../../core/schemas/record.ts';
import { type InsuranceAnswer, insuranceAnswer, insuranceOn } from '../../../core/vehicles/insurance.ts';
import type { VehicleRecord } from '../../../core/vehicles/record.ts';
import { normaliseRegistration } from '../../../core/vehicles/registration.ts';
import { vehiclesTable } from '../../../core/vehicles/vehicles-table.ts';
import { CommandFailure, type CommandResult } from '../command/outcome.ts';
import { formatNumber, printable } from '../command/printable.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { registrationIssue } from '../import/records/field-checks.ts';

const READ_TIMEOUT_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
/** Characters of the column of labels. */
const LABEL_WIDTH = 14;

/** What was read; of a damaged record the error, which the API would meet too. */
type Read<Found> = { readonly found: Found } | { readonly error: UnreadableRecord };

const unlessDamaged = async <Found>(reading: Promise<Found>): Promise<Read<Found>> => {
  try {
    return { found: await reading };
  } catch (error) {
    if (error instanceof UnreadableRecord) return { error };
    throw error;
  }
};

const foundIn = <Found>(read: Read<Found>): Found => {
  if ('error' in read) throw read.error;
  return read.found;
};

/** The error of a response, without what differs in each. */
interface AnsweredError {
  readonly code: string;
  readonly detail: string;
  readonly suggestion?: string | undefined;
}

/** A response of the API. */
type Answer<Body> =
  | { readonly status: 200; readonly body: Body }
  | { readonly status: number; readonly error: AnsweredError };

const answerOf = <Body>(respond: () => Body): Answer<Body> => {
  try {
    return { status: 200, body: respond() };
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof UnreadableRecord)) throw error;
    const { code, message: detail, extension } = error instanceof ApiError ? error : apiError('INTERNAL_ERROR');
    return { status: problems[code].status, error: { code, detail, ...extension } };
  }
};

const age = (lastUpdated: string | undefined, now: Date): string => {
  if (lastUpdated === undefined) return 'unknown';
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(lastUpdated)) / DAY_MS));
  const ago = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${formatNumber(days)} days`;
  return `${lastUpdated}, ${ago} ago`;
};

type Line = readonly [label: string, text: string];

const vehicleLines = ({ vehicle, policies, lastUpdated }: VehicleRecord, now: Date): Line[] => [
  ['Vehicle', `${vehicle.make} ${vehicle.model}, ${vehicle.year}, ${vehicle.color}`],
  ...policies.flatMap(({ number, insurer, validFrom, validTo, type }): Line[] => [
    ['Policy', `${number}, ${validFrom} to ${validTo}`],
    ['', `${type}; insurer: ${insurer}`],
  ]),
  ...(policies.length === 0 ? [['Policy', 'none'] as const] : []),
  ['Last updated', age(lastUpdated, now)],
];

const complianceLines = ({ mot, roadTax, outstandingFines, lastUpdated }: ComplianceRecord, now: Date): Line[] => [
  ['MOT', 'dueDate' in mot ? `until ${mot.dueDate}` : 'exempt'],
  ['Road tax', 'paidUntil' in roadTax ? `until ${roadTax.paidUntil}` : 'sorn' in roadTax ? 'SORN' : 'exempt'],
  ['Unpaid fines', formatNumber(outstandingFines)],
  ['Last updated', age(lastUpdated, now)],
];

const storedLines = <Stored>(
  label: string,
  read: Read<Stored | undefined>,
  lines: (record: Stored) => Line[],
): Line[] => {
  if ('error' in read) return [[label, 'the stored record is damaged; load it again from its source']];
  return read.found === undefined ? [[label, 'none is stored']] : lines(read.found);
};

const errorTexts = (status: number, { code, detail, suggestion }: AnsweredError): string[] => [
  `${status} ${code}${suggestion ? `, perhaps ${suggestion} is meant` : ''}`,
  detail,
];

const answerLines = <Body>(label: string, answer: Answer<Body>, textsOf: (body: Body) => string[]): Line[] => {
  const texts = 'body' in answer ? textsOf(answer.body) : errorTexts(answer.status, answer.error);
  return texts.map((text, index) => [index === 0 ? label : '', text]);
};

const whyInsured = (
  { insured, policy }: InsuranceAnswer,
  policies: VehicleRecord['policies'],
  today: string,
): string[] => {
  const { status } = insuranceOn(today, policies);
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

/** What is stored of a vehicle, and what the API answers today: by the functions of the API. */
const lookUp = async (raw: string, context: CommandContext): Promise<CommandResult> => {
  const registration = normaliseRegistration(raw);
  if (registration === undefined) throw new CommandFailure(`the registration ${registrationIssue(raw)}`);
  const { db, tableNames } = context.deployment;
  const now = context.now();
  const today = londonDate(now);
  const vehicle = await unlessDamaged(vehiclesTable(db, tableNames.vehicles).find(registration));
  const both = await unlessDamaged(
    complianceTable(db, tableNames).findWithVehicle(registration, deadlineIn(READ_TIMEOUT_MS)),
  );
  const compliance = 'error' in both ? both : { found: both.found.compliance };
  const insurance = answerOf(() => insuranceAnswer(raw, foundIn(vehicle), today));
  const verdict = answerOf(() => complianceAnswer(raw, foundIn(both), now));
  const policies = ('found' in vehicle && vehicle.found?.policies) || [];
  const lines: Line[] = [
    ['Registration', registration],
    ...storedLines('Vehicle', vehicle, (record) => vehicleLines(record, now)),
    ...storedLines('Compliance', compliance, (record) => complianceLines(record, now)),
    ['', ''],
    ['The API', `on ${today}`],
    ...answerLines('insurance', insurance, (body) => whyInsured(body, policies, today)),
    ...answerLines('compliance', verdict, whyCompliant),
  ];
  const stored = <Stored>(read: Read<Stored>) => ('found' in read ? (read.found ?? null) : null);
  return {
    text: lines.map(([label, text]) => `${`${label.padEnd(LABEL_WIDTH)}${printable(text, 300)}`.trimEnd()}\n`).join(''),
    data: {
      ...{ registration, today, stored: { vehicle: stored(vehicle), compliance: stored(compliance) } },
      answers: { insurance, compliance: verdict },
    },
  };
};

/** Adds `lookup`. */
export const addLookupCommand = (program: Command, run: Runner): void => {
  program
    .command('lookup')
    .description('what is stored of a vehicle, and what the API answers today and why')
    .argument('<registration...>', 'in any spelling, such as AB12 CDE')
    .action((parts: readonly string[]) => run((context) => lookUp(parts.join(' '), context)));
};
