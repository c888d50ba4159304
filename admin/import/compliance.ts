import { ComplianceRecord, PART_CONTENT } from '../../core/compliance/compliance-record.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { type RecordOf, readStored } from '../../core/schemas/record-schema.ts';
import type { Columns } from '../files/columns.ts';
import type { RecordRules } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import { NAMELESS, type RecordTarget, wholeTarget } from '../records/record-target.ts';
import { asNumber, cellValue, type FieldChecks, isBlank } from './field-checks.ts';
import { readFields, readWholeRecords } from './read-fields.ts';

export const COMPLIANCE_COLUMNS: Columns = {
  required: ['registration', 'mot_due', 'mot_exempt', 'tax_paid_until', 'tax_exempt', 'sorn', 'outstanding_fines'],
  optional: ['last_updated'],
};

const { registration, fines } = ComplianceRecord.properties;

/** A line of NDJSON, which has one last update for all parts. */
const ComplianceLine = {
  type: 'object',
  required: ['registration', 'mot', 'roadTax', 'outstandingFines'],
  properties: {
    registration,
    mot: PART_CONTENT.mot,
    roadTax: PART_CONTENT.roadTax,
    outstandingFines: PART_CONTENT.fines.properties.outstanding,
    lastUpdated: fines.properties.lastUpdated,
  },
} as const;

type ComplianceLine = RecordOf<typeof ComplianceLine>;

const MEANINGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', '1'].map((text) => [text, true] as const),
  ...['false', 'no', 'n', '0', ''].map((text) => [text, false] as const),
]);

const readFlag = (check: FieldChecks, name: string, fields: Row['fields']): boolean => {
  const meaning = MEANINGS.get(String(fields[name]).trim().toLowerCase());
  if (meaning === undefined) check.issue(name, 'must be true, false, yes, no, Y, N, 1, 0 or blank');
  return meaning ?? false;
};

const requireOne = (check: FieldChecks, given: Readonly<Record<string, boolean>>): void => {
  const names = Object.keys(given);
  const count = Object.values(given).filter(Boolean).length;
  if (count === 0) check.issue(names.join(', '), 'one of them must be given');
  if (count > 1) check.issue(names.join(', '), 'only one of them may be given');
};

const readMot = (check: FieldChecks, fields: Row['fields']): ComplianceLine['mot'] => {
  const isDated = !isBlank(fields.mot_due);
  requireOne(check, { mot_due: isDated, mot_exempt: readFlag(check, 'mot_exempt', fields) });
  return isDated ? { dueDate: check.day('mot_due', fields.mot_due) } : { exempt: true };
};

const readRoadTax = (check: FieldChecks, fields: Row['fields']): ComplianceLine['roadTax'] => {
  const isDated = !isBlank(fields.tax_paid_until);
  const sorn = readFlag(check, 'sorn', fields);
  requireOne(check, { tax_paid_until: isDated, tax_exempt: readFlag(check, 'tax_exempt', fields), sorn });
  if (isDated) return { paidUntil: check.day('tax_paid_until', fields.tax_paid_until) };
  return sorn ? { sorn: true } : { exempt: true };
};

const fromCsv = (check: FieldChecks, fields: Row['fields']) => ({
  mot: readMot(check, fields),
  roadTax: readRoadTax(check, fields),
  outstandingFines: check.count('outstanding_fines', asNumber(fields.outstanding_fines)),
  lastUpdated: check.lastUpdated('last_updated', cellValue(fields.last_updated)),
});

interface StoredFields {
  readonly lastUpdated?: string;
  readonly fromCompliance?: true;
}

const contentOf = <Part extends StoredFields>({ lastUpdated, fromCompliance, ...content }: Part) => content as Part;

/** The line that an import restores; undefined for a damaged record, and for one that lacks a part. */
export const readComplianceLine = (item: DynamoItem): ComplianceLine | undefined => {
  const record = readStored(ComplianceRecord, item);
  if (!record?.mot || !record.roadTax || !record.fines) return undefined;
  const { lastUpdated } = record.mot;
  return {
    registration: record.registration,
    mot: contentOf(record.mot),
    roadTax: contentOf(record.roadTax),
    outstandingFines: record.fines.outstanding,
    ...(lastUpdated !== undefined && { lastUpdated }),
  };
};

/** Compliance records, which have no suppliers. */
export const COMPLIANCE_RECORDS: RecordTarget = {
  ...wholeTarget('compliance', readComplianceLine),
  join: (parts) => {
    const { body, lastUpdated } = parts.get(NAMELESS) ?? {};
    const { mot, roadTax, outstandingFines } = body as ComplianceLine;
    const stored: StoredFields = { ...(lastUpdated !== undefined && { lastUpdated }), fromCompliance: true };
    return {
      mot: { ...mot, ...stored },
      roadTax: { ...roadTax, ...stored },
      fines: { outstanding: outstandingFines, ...stored },
    };
  },
};

export const complianceRules: RecordRules = {
  kind: 'records',
  target: COMPLIANCE_RECORDS,
  read: (rows, registration, options) =>
    readWholeRecords(rows, registration, options, (check, fields) => {
      // `null` means that the time is unknown. No time is stored then.
      const lastUpdatedRule = (name: string, value: unknown) =>
        value === null ? null : check.lastUpdated(name, value);
      const rules = { registration: () => registration, lastUpdated: lastUpdatedRule };
      const { mot, roadTax, outstandingFines, lastUpdated } =
        options.format === 'csv' ? fromCsv(check, fields) : readFields(check, ComplianceLine, fields, rules);
      return { kind: 'put', registration, body: { mot, roadTax, outstandingFines }, lastUpdated };
    }),
};
