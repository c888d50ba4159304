import { describe, expect, it } from '@jest/globals';
import { readArguments } from '../../client/src/command-line/arguments.ts';
import { changesOf, readAnswers } from '../../client/src/command-line/changes.ts';
import { complianceCheck, failureCells, insuranceCheck } from '../../client/src/command-line/checks.ts';
import type { ResultRow } from '../../client/src/command-line/earlier-result.ts';
import { countRows, failedRows, shortSummary, summaryLines } from '../../client/src/command-line/summary.ts';

/** A row of an insurance check: `true POL-1`, `false`, or the code of an error. */
const row = (registration: string, answer: string): ResultRow => {
  const [verdict = '', policy = ''] = answer.split(' ');
  const isError = /^[A-Z]/.test(verdict);
  const cells = isError ? failureCells(insuranceCheck, verdict) : [verdict, policy, '', '', '', '', '', ''];
  return { registration, cells };
};
async function* rowsOf(answers: readonly (readonly [registration: string, answer: string])[]) {
  for (const [registration, answer] of answers) yield row(registration, answer);
}
type Answers = Parameters<typeof rowsOf>[0];

const compare = async (before: Answers, after: Answers) => {
  const previous = await readAnswers('old.csv', insuranceCheck, rowsOf(before));
  return Array.fromAsync(changesOf(insuranceCheck, previous, rowsOf(after)));
};

describe('The list of changes', () => {
  const GONE = ['AB12CDE', 'gone', 'insured POL-1', ''];
  it.each<[before: string, after: string, change: string | undefined]>([
    ['true POL-1', 'true POL-1', undefined],
    ['true POL-1', 'false POL-1', 'newly uninsured'],
    ['false', 'true POL-1', 'insured again'],
    ['true POL-1', 'true POL-2', 'changed policy'],
    ['true POL-1', 'VEHICLE_NOT_FOUND', 'gone'],
    ['VEHICLE_NOT_FOUND', 'false', 'new'],
    ['VEHICLE_NOT_FOUND', 'INVALID_REGISTRATION', undefined],
    ['true POL-1', 'LOOKUP_UNAVAILABLE', undefined],
    ['INVALID_ANSWER', 'true POL-1', undefined],
    ['true POL-1', 'TOO_MANY_CELLS', undefined],
    ['true POL-1', 'CODE_OF_A_LATER_VERSION', undefined],
  ])('from %s to %s: %s', async (before, after, change) => {
    const changes = await compare([['AB12 CDE', before]], [['ab12-cde', after]]);
    expect(changes.map(([registration, what]) => [registration, what])).toEqual(change ? [['ab12-cde', change]] : []);
  });

  it('has new and gone vehicles, each once, whatever the order of the rows', async () => {
    const before: Answers = [
      ['AB12CDE', 'true POL-1'],
      ['KR08NIL', 'false'],
      ['', 'INVALID_REGISTRATION'],
    ];
    const after: Answers = [
      ['ZZ1', 'VEHICLE_NOT_FOUND'],
      ['KR08 NIL', 'false'],
      ['ZZ1', 'VEHICLE_NOT_FOUND'],
      ['', ''],
    ];
    expect(await compare(before, after)).toEqual([['ZZ1', 'new', '', 'unknown'], GONE]);
    expect(await compare([['AB12CDE', 'LOOKUP_UNAVAILABLE']], [])).toEqual([]);
  });

  it('takes a vehicle that is twice in the earlier result once, unless its answers differ', async () => {
    const twice = (answer: string): Answers => [
      ['AB12CDE', 'true POL-1'],
      ['AB12 CDE', answer],
    ];
    expect(await compare(twice('true POL-1'), [])).toEqual([GONE]);
    expect(await compare(twice('LOOKUP_UNAVAILABLE'), [])).toEqual([GONE]);
    await expect(compare(twice('false'), [])).rejects.toThrow(
      'old.csv has AB12 CDE twice, with different answers: delete one of the rows.',
    );
  });
});

describe('The summary', () => {
  it('counts each outcome, and rows without an answer apart from uninsured ones', () => {
    const answers = ['true POL-1', 'false', 'INVALID_REGISTRATION', 'TOO_MANY_CELLS', 'LOOKUP_UNAVAILABLE', 'OTHER'];
    const cells = answers.map((answer) => row('AB12CDE', answer).cells);
    const suggested = failureCells(insuranceCheck, 'VEHICLE_NOT_FOUND', 'AB10CDE');
    const counts = countRows(countRows({}, insuranceCheck, cells), insuranceCheck, [suggested]);
    expect(failedRows(insuranceCheck, 7, counts)).toBe(5);
    expect(shortSummary(insuranceCheck, counts)).toBe('1 insured, 1 not insured, 1 unknown, 2 invalid, 2 not read');
    expect(summaryLines(insuranceCheck, counts).map((line) => line.trim().replace(/ {2,}/g, ' '))).toEqual([
      ...['insured 1', 'not insured 1', 'unknown 1 (1 with a suggestion)', 'invalid 2', 'not read 2'],
    ]);
  });

  it('of compliance also has the reasons, the most frequent first', () => {
    const verdict = (reasons: string) => [`${reasons === ''}`, reasons, '', '', '', '0', '', ''];
    const rows = ['', 'MOT_EXPIRED', 'INSURANCE_LAPSED MOT_EXPIRED', 'NO_POLICY MOT_EXPIRED'].map(verdict);
    const counts = countRows({}, complianceCheck, [...rows, failureCells(complianceCheck, 'COMPLIANCE_NOT_FOUND')]);
    expect(summaryLines(complianceCheck, counts).map((line) => line.trim().replace(/ {2,}/g, ' '))).toEqual([
      ...['compliant 1', 'not compliant 3', 'MOT_EXPIRED 3', 'INSURANCE_LAPSED 1', 'NO_POLICY 1'],
      ...['insured 2', 'not insured 2', 'unknown 0', 'no record 1', 'invalid 0', 'not read 0'],
    ]);
  });
});

describe('The arguments of check', () => {
  const read = (...options: string[]) => readArguments(['check', 'fleet.csv', '--out', 'r.csv', ...options]);

  it.each<[string[], RegExp]>([
    [
      ['--date', '01/01/2026'],
      /^--date 01\/01\/2026 is not a day from 1900-01-01 to 2099-12-31: write it as 2026-01-31\.$/,
    ],
    [['--date', '2026-02-30'], /^--date 2026-02-30 is not a day/],
    [['--date', '1899-12-31'], /^--date 1899-12-31 is not a day/],
    [['--ending-within', 'month'], /^--ending-within month is not a number of days: write it as 30, at most 9999\.$/],
    [
      ['--ending-within', '30', '--date', '2099-12-01'],
      /^--ending-within 30 goes beyond 2099-12-31: give fewer days\.$/,
    ],
    [['--ending', 'e.csv'], /^--ending needs --ending-within DAYS\.$/],
    [['--changes', 'c.csv'], /^--changes needs --previous FILE\.csv\.$/],
    [['--fail-on', 'not-insured,ending'], /^--fail-on ending needs --ending-within DAYS\.$/],
    [['--fail-on', 'changes'], /^--fail-on changes needs --previous FILE\.csv\.$/],
    [['--fail-on', 'expired'], /^--fail-on expired is not one of not-insured, changes, ending\.$/],
    [['--previous', 'p.csv', '--changes', './r.csv'], /^--out, --ending and --changes must be different files\.$/],
  ])('%j end with one sentence', (options, sentence) => {
    expect(() => read(...options)).toThrow(sentence);
  });

  it('name the first and the last day of what ends', () => {
    const ending = { from: '2028-02-01', to: '2028-03-02', days: 30 };
    expect(read('--date', '2028-02-01', '--ending-within', '30')).toMatchObject({ check: { ending } });
  });
});
