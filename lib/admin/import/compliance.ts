import { ComplianceRecord } from '../../../core/compliance/compliance-record.ts';
import type { ImportKind, RowContext } from '../file-command/file-command.ts';
import type { Columns } from '../files/csv-header.ts';
import { type Row, registrationOf } from '../files/row.ts';
import { asNumber, type FieldChecks, fieldChecks, fileTime, isBlank } from './field-checks.ts';
import { readFields } from './read-fields.ts';
import { type RowResult, recordPerRow, recordWriting, type StoredRecord } from './record-per-row.ts';

/** The columns of a compliance CSV: one row per vehicle. */
const COMPLIANCE_COLUMNS: Columns = {
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

/** All but the registration, from a CSV row. Without `last_updated` the record gets the modification time of the file. */
const fromCsv = (
  check: FieldChecks,
  fields: Row['fields'],
  context: RowContext,
): Omit<ComplianceRecord, 'registration'> => ({
  mot: readMot(check, fields),
  roadTax: readRoadTax(check, fields),
  outstandingFines: check.count('outstanding_fines', asNumber(fields.outstanding_fines)),
  lastUpdated: isBlank(fields.last_updated)
    ? fileTime(context)
    : check.lastUpdated('last_updated', fields.last_updated),
});

/** One record from its row or line. */
const readCompliance = (
  row: Row,
  registration: string | undefined,
  context: RowContext,
): RowResult<ComplianceRecord> => {
  const check = fieldChecks(context);
  const readRegistration = (name: string, value: unknown) => registration ?? check.invalidRegistration(name, value);
  const lastUpdated = (name: string, value: unknown) => {
    // `null` means that the time is unknown, and is stored as `null`.
    if (value === null) return undefined;
    return value === undefined ? fileTime(context) : check.lastUpdated(name, value);
  };
  if (!row.isJson) readRegistration('registration', row.fields.registration);
  const record = row.isJson
    ? readFields(check, ComplianceRecord, row.fields, { registration: readRegistration, lastUpdated })
    : { registration: registration ?? '', ...fromCsv(check, row.fields, context) };
  return check.reasons.length > 0 ? { reasons: check.reasons } : { record };
};

/** MOT, road tax and fines: CSV or NDJSON, a vehicle per row. */
export const compliance: ImportKind<StoredRecord> = {
  noun: 'compliance',
  columns: COMPLIANCE_COLUMNS,
  keyOf: registrationOf,
  read: (group, context) => recordPerRow(group, (row, registration) => readCompliance(row, registration, context)),
  writing: recordWriting,
};
