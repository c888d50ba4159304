import type { ComplianceRecord } from '../../../functions/compliance/record.ts';
import { aCompliance } from '../../support/records.ts';
import type { ImportFixture } from './fixture.ts';
import { errorsInTable, storeItems } from './keyed-records.ts';

/** Every so many lines one is bad. */
const BAD_EVERY = 40;

const registrationOf = (index: number): string => `KI${index}`;
const isBad = (index: number): boolean => index % BAD_EVERY === BAD_EVERY - 1;
const recordOf = (index: number): ComplianceRecord => aCompliance(registrationOf(index), { outstandingFines: index });
const olderRecord = (index: number): ComplianceRecord =>
  aCompliance(registrationOf(index), { mot: { dueDate: '2025-12-01' } });

const lineOf = (index: number): string =>
  JSON.stringify({ ...recordOf(index), ...(isBad(index) && { outstandingFines: -1 }) });

/** NDJSON of compliance records, some of them bad, and the first one standing twice. */
export const complianceFixture = (records: number): ImportFixture => {
  const indices = Array.from({ length: records }, (_, index) => index);
  const lines = [...indices, 0].map(lineOf);
  const imported = indices.filter((index) => !isBad(index)).map(recordOf);
  const untouched = [...indices.filter(isBad), records].map(olderRecord);
  return {
    kind: 'compliance',
    fileName: 'compliance.ndjson',
    text: lines.join('\n'),
    rows: lines.length,
    records: imported.length,
    storeOlder: (engine) => storeItems(engine, engine.names.compliance, [...indices, records].map(olderRecord)),
    errorsIn: (engine) => errorsInTable(engine, engine.names.compliance, imported, untouched),
  };
};
