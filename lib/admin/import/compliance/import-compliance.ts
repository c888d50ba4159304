import type { ComplianceRecord } from '../../../../functions/compliance/record.ts';
import { recordPerRow } from '../records/record-loader.ts';
import type { ImportKind } from '../run/import-kind.ts';
import { COMPLIANCE_COLUMNS, readComplianceRow } from './csv-compliance.ts';
import { readComplianceLine } from './ndjson-compliance.ts';

/** MOT, road tax and fines: CSV or NDJSON, a vehicle per row. */
export const compliance: ImportKind = {
  noun: 'compliance',
  table: 'compliance',
  columns: COMPLIANCE_COLUMNS,
  open: (run) =>
    recordPerRow<ComplianceRecord>(run, 'compliance', run.format === 'csv' ? readComplianceRow : readComplianceLine),
};
