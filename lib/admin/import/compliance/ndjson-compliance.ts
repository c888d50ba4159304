import { ComplianceRecord } from '../../../../functions/compliance/record.ts';
import type { Row, RowResult } from '../../files/row.ts';
import { fieldChecks } from '../records/field-checks.ts';
import { readLine } from '../records/read-fields.ts';

/** One record from its NDJSON line. */
export const readComplianceLine = (row: Row, registration: string | undefined): RowResult<ComplianceRecord> => {
  if (row.issues.length > 0) return { rejected: [{ row, reasons: row.issues }] };
  const check = fieldChecks();
  const record = readLine(check, ComplianceRecord, row.fields, {
    registration: (name, value) => registration ?? check.invalidRegistration(name, value),
  });
  return check.reasons.length > 0 ? { rejected: [{ row, reasons: check.reasons }] } : { record };
};
