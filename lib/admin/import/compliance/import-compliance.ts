import { ComplianceRecord } from '../../../../functions/compliance/record.ts';
import type { Row, RowResult } from '../../files/row.ts';
import { fieldChecks } from '../records/field-checks.ts';
import { readLine } from '../records/read-fields.ts';
import { recordPerRow } from '../records/record-loader.ts';
import type { ImportKind } from '../run/import-kind.ts';
import { COMPLIANCE_COLUMNS, readComplianceRow } from './csv-compliance.ts';

/** One record from its NDJSON line. */
const readComplianceLine = (row: Row, registration: string | undefined): RowResult<ComplianceRecord> => {
  if (row.issues.length > 0) return { rejected: [{ row, reasons: row.issues }] };
  const check = fieldChecks();
  const record = readLine(check, ComplianceRecord, row.fields, {
    registration: (name, value) => registration ?? check.invalidRegistration(name, value),
  });
  return check.reasons.length > 0 ? { rejected: [{ row, reasons: check.reasons }] } : { record };
};

/** MOT, road tax and fines: CSV or NDJSON, a vehicle per row. */
export const compliance: ImportKind = {
  noun: 'compliance',
  table: 'compliance',
  columns: COMPLIANCE_COLUMNS,
  open: (run) =>
    recordPerRow<ComplianceRecord>(run, 'compliance', run.format === 'csv' ? readComplianceRow : readComplianceLine),
};
