import type { ComplianceRecord } from '../../../../functions/compliance/record.ts';
import type { Row, RowResult } from '../../files/row.ts';
import { type FieldChecks, fieldChecks } from '../records/field-checks.ts';

type Mot = ComplianceRecord['mot'];
type RoadTax = ComplianceRecord['roadTax'];

const MOT_ALTERNATIVES = ['dueDate', 'exempt'];
const TAX_ALTERNATIVES = ['paidUntil', 'exempt', 'sorn'];
const RECORD_FIELDS = ['registration', 'mot', 'roadTax', 'outstandingFines'];

/** The one alternative that an object is given in; none or several are a fault. */
const onlyAlternative = (
  check: FieldChecks,
  name: string,
  value: Readonly<Record<string, unknown>>,
  alternatives: readonly string[],
): string | undefined => {
  const given = alternatives.filter((field) => value[field] !== undefined);
  if (given.length !== 1) check.issue(name, `must have exactly one of ${alternatives.join(', ')}`);
  return given.length === 1 ? given[0] : undefined;
};

const isTrue = (check: FieldChecks, name: string, value: unknown): true => {
  if (value !== true) check.issue(name, 'must be true');
  return true;
};

const readMot = (check: FieldChecks, given: unknown): Mot => {
  const value = check.object('mot', given, MOT_ALTERNATIVES);
  return onlyAlternative(check, 'mot', value, MOT_ALTERNATIVES) === 'dueDate'
    ? { dueDate: check.day('mot.dueDate', value.dueDate) }
    : { exempt: value.exempt === undefined || isTrue(check, 'mot.exempt', value.exempt) };
};

const readRoadTax = (check: FieldChecks, given: unknown): RoadTax => {
  const value = check.object('roadTax', given, TAX_ALTERNATIVES);
  const alternative = onlyAlternative(check, 'roadTax', value, TAX_ALTERNATIVES);
  if (alternative === 'paidUntil') return { paidUntil: check.day('roadTax.paidUntil', value.paidUntil) };
  if (alternative === 'sorn') return { sorn: isTrue(check, 'roadTax.sorn', value.sorn) };
  return { exempt: value.exempt === undefined || isTrue(check, 'roadTax.exempt', value.exempt) };
};

/** One record from its NDJSON line. */
export const readComplianceLine = (row: Row): RowResult<ComplianceRecord> => {
  if (row.issues.length > 0) return { rejected: [{ row, reasons: row.issues }] };
  const check = fieldChecks();
  const fields = check.object('', row.fields, RECORD_FIELDS);
  const registration = check.registration('registration', fields.registration);
  const record = {
    mot: readMot(check, fields.mot),
    roadTax: readRoadTax(check, fields.roadTax),
    outstandingFines: check.count('outstandingFines', fields.outstandingFines),
  };
  if (registration === undefined || check.reasons.length > 0) return { rejected: [{ row, reasons: check.reasons }] };
  return { record: { registration, ...record } };
};
