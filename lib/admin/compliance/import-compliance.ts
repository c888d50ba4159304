import { complianceItem } from '../../../functions/compliance/compliance-table.ts';
import type { ComplianceRecord } from '../../../functions/compliance/record.ts';
import type { ImportKind, ImportRun, RowTaker } from '../import/run.ts';
import { recordLoader } from '../records/record-loader.ts';
import { registrationOf } from '../records/registration-of.ts';
import { COMPLIANCE_COLUMNS, readComplianceRow } from './csv-compliance.ts';
import { readComplianceLine } from './ndjson-compliance.ts';

const open = (run: ImportRun): RowTaker => {
  const loader = recordLoader<ComplianceRecord>(run, 'compliance', complianceItem);
  const read = run.format === 'csv' ? readComplianceRow : readComplianceLine;
  return { take: (row) => loader.settle(registrationOf(row), [row], read(row)), finish: loader.finish };
};

/** MOT, road tax and fines: CSV or NDJSON, a vehicle per row. */
export const compliance: ImportKind = {
  noun: 'compliance',
  table: 'compliance',
  columns: COMPLIANCE_COLUMNS,
  open,
};
