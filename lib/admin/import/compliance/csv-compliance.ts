import type { ComplianceRecord } from '../../../../functions/compliance/record.ts';
import type { Columns } from '../../files/csv-header.ts';
import type { Row, RowResult } from '../../files/row.ts';
import { type FieldChecks, fieldChecks, isBlank } from '../records/field-checks.ts';

/** The columns of a compliance CSV: one row per vehicle. */
export const COMPLIANCE_COLUMNS: Columns = {
  required: ['registration', 'mot_due', 'mot_exempt', 'tax_paid_until', 'tax_exempt', 'sorn', 'outstanding_fines'],
  optional: [],
};

const MEANINGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
  ['', false],
]);

const readFlag = (check: FieldChecks, name: string, fields: Row['fields']): boolean => {
  const meaning = MEANINGS.get(String(fields[name]).trim().toLowerCase());
  if (meaning === undefined) check.issue(name, 'must be true, false, yes, no, 1, 0 or blank');
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

const asCount = (value: unknown): unknown => {
  const text = typeof value === 'string' ? value.trim() : '';
  return /^\d{1,15}$/.test(text) ? Number(text) : value;
};

/** One record from its CSV row. */
export const readComplianceRow = (row: Row, registration: string | undefined): RowResult<ComplianceRecord> => {
  if (row.issues.length > 0) return { rejected: [{ row, reasons: row.issues }] };
  const check = fieldChecks();
  if (registration === undefined) check.invalidRegistration('registration', row.fields.registration);
  const record = {
    mot: readMot(check, row.fields),
    roadTax: readRoadTax(check, row.fields),
    outstandingFines: check.count('outstanding_fines', asCount(row.fields.outstanding_fines)),
  };
  if (registration === undefined || check.reasons.length > 0) return { rejected: [{ row, reasons: check.reasons }] };
  return { record: { registration, ...record } };
};
