import { ComplianceRecord } from '../../core/compliance/compliance-record.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import type { Columns } from '../files/columns.ts';
import type { RecordRules } from '../files/file-command.ts';
import type { Row } from '../files/rows.ts';
import { wholeTarget } from '../records/record-target.ts';
import { asNumber, cellValue, type FieldChecks, isBlank } from './field-checks.ts';
import { readFields, readWholeRecords } from './read-fields.ts';

export const COMPLIANCE_COLUMNS: Columns = {
  required: ['registration', 'mot_due', 'mot_exempt', 'tax_paid_until', 'tax_exempt', 'sorn', 'outstanding_fines'],
  optional: ['last_updated'],
};

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

const readMot = (check: FieldChecks, fields: Row['fields']): ComplianceRecord['mot'] => {
  const isDated = !isBlank(fields.mot_due);
  requireOne(check, { mot_due: isDated, mot_exempt: readFlag(check, 'mot_exempt', fields) });
  return isDated ? { dueDate: check.day('mot_due', fields.mot_due) } : { exempt: true };
};

const readRoadTax = (check: FieldChecks, fields: Row['fields']): ComplianceRecord['roadTax'] => {
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

/** Compliance records, which have no suppliers. */
export const COMPLIANCE_RECORDS = wholeTarget('compliance', (item) => readStored(ComplianceRecord, item));

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
        options.format === 'csv' ? fromCsv(check, fields) : readFields(check, ComplianceRecord, fields, rules);
      return { kind: 'put', registration, body: { mot, roadTax, outstandingFines }, lastUpdated };
    }),
};
