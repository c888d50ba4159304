/** The commands of docs/data-files.md that make files of road tax and MOT from answers of DVLA, run by jq. */
import { copyFile, readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/compliance-record.ts';
import { runCommand } from '../../support/program.ts';
import { useAdmin } from '../../support/use-admin.ts';

const { json, pathOf, stored } = useAdmin();

const recipe = async (): Promise<string> => {
  const guide = await readFile('docs/data-files.md', 'utf8');
  const block = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, text = '']) => text)
    .find((text) => text.startsWith('jq '));
  return String(block).replaceAll(/^npm .*\n/gm, '');
};

it('The recipe for answers of the Vehicle Enquiry Service makes the parts that the answers have', async () => {
  await copyFile('test/fixtures/sources/ves.ndjson', pathOf('ves.ndjson'));
  await runCommand('bash', ['-e', '-c', await recipe()], { cwd: pathOf('.'), env: process.env });
  expect(await json(['import', 'tax', pathOf('tax.csv')])).toMatchObject({ loaded: 4, withoutValue: 1, rejected: 0 });
  expect(await json(['import', 'mot', pathOf('mot.csv')])).toMatchObject({ loaded: 2, withoutValue: 3, rejected: 0 });
  const partsOf = ({ registration, mot, roadTax }: ComplianceRecord) => [
    registration,
    mot && 'dueDate' in mot && mot.dueDate,
    roadTax && ('paidUntil' in roadTax ? roadTax.paidUntil : Object.keys(roadTax).includes('sorn') && 'SORN'),
  ];
  expect((await stored<ComplianceRecord>('compliance')).map(partsOf)).toEqual([
    ['SR10AAA', '2027-03-10', '2027-02-28'],
    ['SR12AAA', '2026-09-01', 'SORN'],
    ['SR13AAA', undefined, '2027-03-31'],
    ['SR15AAA', undefined, '2026-09-30'],
  ]);
});
