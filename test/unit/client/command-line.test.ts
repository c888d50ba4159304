import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type CheckArguments, readArguments } from '../../../client/src/command-line/arguments.ts';
import { answersByVehicle, listChanges } from '../../../client/src/command-line/changes.ts';
import { cellsIn } from '../../../client/src/command-line/check-file.ts';
import {
  type Cells,
  type Check,
  complianceCheck,
  insuranceCheck,
  resultColumns,
  sourcesCell,
} from '../../../client/src/command-line/checks.ts';
import { type ResultRow, readEarlierResult } from '../../../client/src/command-line/earlier-result.ts';
import { listEnding } from '../../../client/src/command-line/ending.ts';
import { assertReplaceable, csvText, replaceFiles } from '../../../client/src/command-line/result-files.ts';
import { summarise } from '../../../client/src/command-line/summary.ts';
import { dayAfter } from '../../../core/runtime/clock.ts';
import { progressBar } from '../../../csv/progress-bar.ts';
import { useFolder } from '../../support/use-folder.ts';

const file = useFolder('of each test');
beforeEach(() => writeFile(file('fleet.csv'), 'registration\n'));

/** Writes a file as a check does, and returns the names of all files just before it takes its place. */
const write = async (name: string, text: string, force = false) => {
  const isOwn = (header: readonly string[]) => `${header}` === 'registration,what';
  await assertReplaceable({ path: file(name), source: file('fleet.csv'), isOwn, force });
  let meanwhile: string[] = [];
  await replaceFiles([{ path: file(name), text }], async () => {
    meanwhile = await readdir(file());
  });
  return meanwhile;
};

describe('A file that a check writes', () => {
  it('is written beside what was there, readable by its owner only, with a name of any length', async () => {
    const name = `${'n'.repeat(250)}.csv`;
    expect(await write(name, 'text')).toEqual([expect.stringMatching(/^check-[0-9a-f-]{36}\.tmp$/), 'fleet.csv']);
    expect(await readdir(file())).toEqual(['fleet.csv', name]);
    expect((await stat(file(name))).mode & 0o777).toBe(0o600);
    await expect(write('n'.repeat(256), '')).rejects.toThrow('cannot be written (its name is too long).');
  });

  it.each<[what: string, place: () => Promise<unknown>, sentence: string]>([
    ['a link', () => symlink('fleet.csv', file('out.csv')), 'is a link or a device, not a file: name another one.'],
    ['a link to nothing', () => symlink('nothing', file('out.csv')), 'is a link or a device'],
    ['a folder', () => mkdir(file('out.csv')), 'is a folder: name a file.'],
    ['another name of the input', () => link(file('fleet.csv'), file('out.csv')), 'is the input, which would be'],
  ])('does not replace %s', async (_what, place, sentence) => {
    await place();
    await expect(write('out.csv', '', true)).rejects.toThrow(sentence);
  });

  it.each([
    ['is empty', '', true],
    ['is an earlier result', '\ufeffregistration;what\r\nAB12CDE;MOT\r\n', true],
    ['is an earlier result with another delimiter', 'sep=:\nregistration:what\n', true],
    ['is another list', 'registration,what,note\n', false],
    ['is no CSV', '"', false],
    ['is binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), false],
  ])('replaces what is there only when that %s', async (_title, before, isReplaced) => {
    await writeFile(file('list.csv'), before);
    const outcome = await write('list.csv', 'new').catch((error: Error) => error.message);
    const sentence = `${file('list.csv')} exists and is not an earlier result: name another file, or overwrite it with --force.`;
    expect(outcome).toEqual(isReplaced ? expect.anything() : sentence);
    expect(await readFile(file('list.csv'))).toEqual(Buffer.from(isReplaced ? 'new' : before));
    await write('list.csv', 'forced', true);
    expect(await readFile(file('list.csv'), 'utf8')).toBe('forced');
    expect(await readdir(file())).toEqual(['fleet.csv', 'list.csv']);
  });
});

/** The cells of an insurance check: `true POL-1`, `false`, or the code of an error. */
const cellsOf = (answer: string): Cells => {
  const [insured = '', policy_number = ''] = answer.split(' ');
  return /^[A-Z]/.test(insured) ? { error: insured } : { insured, policy_number };
};
/** Rows as `AB12CDE: true POL-1, ZZ1: VEHICLE_NOT_FOUND`. */
const rowsOf = (text: string): ResultRow[] =>
  [...text.matchAll(/([^,:]*): ([^,]*)(?:, |$)/g)].map(([, registration = '', answer = ''], at) => ({
    line: at + 2,
    registration,
    cells: cellsOf(answer),
  }));
const compare = (before: string, after: string) =>
  listChanges(insuranceCheck, answersByVehicle('old.csv', insuranceCheck, rowsOf(before)), rowsOf(after));

it.each(['WAHR', '1', ''])('An earlier result with the verdict "%s" is an error with its line', async (verdict) => {
  const header = `registration,${resultColumns(insuranceCheck)}`;
  await writeFile(file('old.csv'), `${header}\nAB12CDE,${verdict},POL-1`);
  const sentence = `Line 2 of ${file('old.csv')} has "${verdict}" as insured, which is neither true nor false: restore it.`;
  await expect(readEarlierResult(file('old.csv'), insuranceCheck, 'registration')).rejects.toThrow(sentence);
});

it.each(['=77', '-77', '\t77', '＝77', '＋77', '－77', '＠77', "'=77", "'77", ' 77 '])(
  'A result that is read back has no change of the policy number or registration %j',
  async (text) => {
    const row = { line: 2, registration: text, cells: { insured: 'true', policy_number: text } };
    const columns = resultColumns(insuranceCheck);
    const written = [text, ...cellsIn(columns, row.cells)];
    const format = { delimiter: ',', lineEnd: '\n' };
    await writeFile(file('old.csv'), csvText([['registration', ...columns], written], format));
    const earlier = await readEarlierResult(file('old.csv'), insuranceCheck, 'registration');
    expect(listChanges(insuranceCheck, answersByVehicle('old.csv', insuranceCheck, earlier), [row])).toEqual([]);
  },
);

describe('The list of changes', () => {
  const GONE = ['AB12CDE', 'gone', 'insured POL-1', ''];
  it.each([
    ['newly uninsured', 'true POL-1', 'false POL-1'],
    ['insured again', 'false', 'true POL-1'],
    ['changed policy', 'true POL-1', 'true POL-2'],
    ['gone', 'true POL-1', 'VEHICLE_NOT_FOUND'],
    ['new', 'VEHICLE_NOT_FOUND', 'false'],
    ['new', 'INVALID_ANSWER', 'VEHICLE_NOT_FOUND'],
    ['nothing', 'true POL-1', 'true POL-1'],
    ['nothing', 'VEHICLE_NOT_FOUND', 'INVALID_REGISTRATION'],
    ['nothing', 'INVALID_ANSWER', 'true POL-1'],
    ['nothing', 'true POL-1', 'TOO_MANY_CELLS'],
    ['nothing', 'NO_REGISTRATION', 'NO_REGISTRATION'],
  ])('says "%s" when %s becomes %s', (change, before, after) => {
    const changes = compare(`AB12 CDE: ${before}`, `ab12-cde: ${after}`);
    const expected = change === 'nothing' ? [] : [['ab12-cde', change]];
    expect(changes.map(([registration, what]) => [registration, what])).toEqual(expected);
  });

  it('has new and gone vehicles, each once, whatever the order of the rows', () => {
    const before = 'AB12CDE: true POL-1, KR08NIL: false, : INVALID_REGISTRATION';
    const after = 'ZZ1: VEHICLE_NOT_FOUND, KR08 NIL: false, ZZ1: VEHICLE_NOT_FOUND, : INVALID_REGISTRATION';
    expect(compare(before, after)).toEqual([['ZZ1', 'new', '', 'unknown'], GONE]);
    expect(compare('AB12CDE: LOOKUP_UNAVAILABLE', '')).toEqual([]);
  });

  it('of a first run has every vehicle that is not insured, unknown or invalid', () => {
    const rows = 'A1: true POL-1, B2: false, C3: VEHICLE_NOT_FOUND, D4: INVALID_ANSWER, : INVALID_REGISTRATION';
    expect(listChanges(insuranceCheck, undefined, rowsOf(rows))).toEqual([
      ['B2', 'new', '', 'not insured'],
      ['C3', 'new', '', 'unknown'],
      ['', 'new', '', 'invalid'],
    ]);
  });

  it('uses the answer of another row of a vehicle when the first one was not read', () => {
    const after = 'AB12CDE: LOOKUP_UNAVAILABLE, AB12 CDE: false, KR08NIL: INVALID_ANSWER';
    const changes = compare('AB12CDE: true POL-1, KR08NIL: true POL-2', after);
    expect(changes).toEqual([['AB12 CDE', 'newly uninsured', 'insured POL-1', 'not insured']]);
  });

  it('takes a vehicle that is twice in the earlier result once, unless its answers differ', () => {
    const twice = (answer: string) => compare(`AB12CDE: true POL-1, AB12 CDE: ${answer}`, '');
    expect(twice('true POL-1')).toEqual([GONE]);
    expect(twice('LOOKUP_UNAVAILABLE')).toEqual([GONE]);
    const sentence = 'old.csv has AB12 CDE twice, with different answers: delete one of the rows.';
    expect(() => twice('false')).toThrow(sentence);
  });
});

it('The list of what ends follows renewals to the last one, with one request for each day', async () => {
  /** The last days of each vehicle's policies in June; 0 for a lookup that fails. */
  const ends: Record<string, number[]> = { A: [3], B: [3, 4, 12], C: [5, 13], D: [5, 14], E: [4, 0] };
  const dayOf = (day: number) => dayAfter('2030-06-01', day - 1);
  const asked: string[] = [];
  const insurance = async (registrations: readonly string[], date = '') => {
    asked.push(`${date} ${registrations}`);
    return registrations.map((registration) => {
      const end = ends[registration]?.find((day) => day === 0 || dayOf(day) >= date);
      if (end === 0) return { registration, code: 'LOOKUP_UNAVAILABLE' };
      return { registration, insured: end !== undefined, policy: { validTo: dayOf(end ?? 0) } };
    });
  };
  const rows = Object.entries(ends).map(([registration, [first = 0]], at) => ({
    line: at + 2,
    registration,
    cells: { insured: 'true', valid_to: dayOf(first) },
  }));
  const insuranceOn = insurance as unknown as Parameters<typeof listEnding>[0]['insuranceOn'];
  const ending = await listEnding({ insuranceOn, check: insuranceCheck, from: dayOf(1), to: dayOf(13) }, rows);
  expect(ending).toEqual([
    ['A', 'insurance', '2030-06-03'],
    ['E', 'insurance (renewal not read)', '2030-06-04'],
    ['B', 'insurance', '2030-06-12'],
    ['C', 'insurance', '2030-06-13'],
  ]);
  expect(asked).toEqual(['04 A,B', '05 E,B', '06 C,D', '13 B', '14 C'].map((day) => `2030-06-${day}`));
});

describe('The summary', () => {
  const fleet = { header: [], columnIndex: 0, delimiter: ',', lineEnd: '', rows: [] };
  const result = { fleet: { ...fleet, lineBelowTitle: undefined, sheet: undefined }, isFirstRun: false, ending: [] };
  const summaryOf = (check: Check, cells: readonly Cells[], sources?: { expected: number; current: number }) => {
    const rows = cells.map((each, at) => ({ line: at + 2, registration: `X${at}`, given: [], cells: each }));
    const args = readArguments(['check', 'fleet.csv', '--out', 'r.csv']) as CheckArguments;
    const found = { ...result, check, rows, sources, changes: undefined, newlyEnding: 0 };
    const { lines, ...counts } = summarise(args, found);
    return { lines: lines.map((line) => line.trim().replace(/ {2,}/g, ' ')), ...counts };
  };
  /** The lines that count the rows. */
  const countsOf = (...summary: Parameters<typeof summaryOf>) => {
    const { lines } = summaryOf(...summary);
    return lines.slice(1, lines.indexOf(''));
  };

  it('counts each outcome, and rows without an answer apart from uninsured ones', () => {
    const unread = ['TOO_MANY_CELLS', 'LOOKUP_UNAVAILABLE', 'OTHER'];
    const failed = ['INVALID_REGISTRATION', 'INVALID_REGISTRATION', 'VEHICLE_NOT_FOUND', ...unread];
    const cells = ['true POL-1', 'false', ...failed, 'NO_REGISTRATION'].map(cellsOf);
    expect(summaryOf(insuranceCheck, cells)).toMatchObject({ failed: 6, unread: 3 });
    const rest = ['unknown 1', 'invalid 2', 'no registration 1', 'not read 3'];
    expect(countsOf(insuranceCheck, cells)).toEqual(['insured 1', 'not insured 1', ...rest]);
  });

  it('has a notice only when suppliers of the service were late', () => {
    const notice = expect.stringMatching(/^Suppliers of the service that were current: 2 of 3\. What is not insured/);
    for (const [current, expected] of [
      [2, [notice]],
      [3, []],
    ] as const) {
      const counts = countsOf(insuranceCheck, [cellsOf('false')], { expected: 3, current });
      expect(counts).toEqual(['insured 0', 'not insured 1', ...expected]);
    }
  });

  it.each([
    ['true POL-1', ''],
    ['false', '2 of 3'],
    ['VEHICLE_NOT_FOUND', '2 of 3'],
    ['INVALID_REGISTRATION', ''],
    ['LOOKUP_UNAVAILABLE', ''],
  ])('of a row with the answer %s has the sources "%s"', (answer, sources) => {
    expect(sourcesCell(cellsOf(answer), { expected: 3, current: 2 })).toBe(sources);
    expect(sourcesCell(cellsOf(answer), undefined)).toBe('');
  });

  const verdict = (reasons: string, insurance_valid_to = '2030-01-01') => ({
    compliant: `${reasons === ''}`,
    reasons,
    insurance_valid_to,
  });

  it('of compliance also has the reasons, the most frequent first', () => {
    const reasons = ['', 'MOT_EXPIRED', 'INSURANCE_LAPSED MOT_EXPIRED', 'NO_POLICY MOT_EXPIRED'];
    const cells = [...reasons.map((each) => verdict(each)), { error: 'COMPLIANCE_NOT_FOUND' }];
    const verdicts = ['compliant 1', 'not compliant 3', 'MOT_EXPIRED 3', 'INSURANCE_LAPSED 1', 'NO_POLICY 1'];
    expect(countsOf(complianceCheck, cells)).toEqual([...verdicts, 'insured 2', 'not insured 2', 'no record 1']);
  });

  it('of compliance says of how many vehicles only something unknown is wrong, and counts none as insured where insurance is left out', () => {
    const unknown = [verdict('MOT_UNKNOWN'), verdict('TAX_EXPIRED FINES_UNKNOWN'), verdict('MOT_UNKNOWN', '')];
    const lines = countsOf(complianceCheck, [...unknown, verdict('', '')]);
    const reasons = ['MOT_UNKNOWN 2', 'TAX_EXPIRED 1', 'FINES_UNKNOWN 1', 'only unknown 2'];
    expect(lines).toEqual(['compliant 1', 'not compliant 3', ...reasons, 'insured 2', 'not insured 0']);
  });

  it('says which option names a file for the whole of a list that is longer than what is printed', () => {
    const last = (code: string) => summaryOf(insuranceCheck, Array(22).fill(cellsOf(code))).lines.at(-1);
    expect(last('VEHICLE_NOT_FOUND')).toBe('and 2 more: name a file for all of them with --not-insured');
    expect(last('NO_REGISTRATION')).toBe('and 2 more');
  });
});

describe('The arguments', () => {
  const read = (line: string) => readArguments(line.split(' ').filter(Boolean));
  const CHECK = 'check fleet.csv --out r.csv';

  it.each<[string, RegExp]>([
    ['', /^The command is "check", "lookup", "usage" or "help"\.$/],
    ['lookup', /^Give a registration, or a few; see --help\.$/],
    ['lookup AB12CDE --compliance --date 2026-01-01', /leave out --date\.$/],
    ['usage --key vvc_live_secret', /^Unknown option '--key'; see --help\.$/],
    ['check --out r.csv', /^Give one list to check; see --help\.$/],
    ['check fleet.csv', /^Name the file for the result with --out\.$/],
    ['check fleet.csv --out r.xlsx', /^--out r\.xlsx must end with \.csv: the result is CSV, not a workbook\.$/],
    [`${CHECK} --header-line first`, /^--header-line first is not the number of a line: write it as 4\.$/],
    [`${CHECK} --compliance --date 2026-01-01`, /leave out --date\.$/],
    [`${CHECK} --encoding latin99`, /^--encoding latin99 is not known: write it as windows-1252, /],
    [`${CHECK} --date 01/01/2026`, /^--date .* must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD\.$/],
    [`${CHECK} --date 2026-02-30`, /^--date 2026-02-30 must be a day/],
    [`${CHECK} --date 1899-12-31`, /^--date 1899-12-31 must be a day/],
    [`${CHECK} --ending-within month`, /^--.* month is not a number of days: write it as 30, at most 9999\.$/],
    [`${CHECK} --ending-within 30 --date 2099-12-01`, /^--ending-within 30 ends on 2099-12-31, .*: give fewer days\.$/],
    [`${CHECK} --ending e.csv`, /^--ending needs --ending-within DAYS\.$/],
    [`${CHECK} --changes c.csv`, /^--changes needs --previous FILE\.csv\.$/],
    [`${CHECK} --fail-on not-insured,ending`, /^--fail-on ending needs --ending-within DAYS\.$/],
    [`${CHECK} --fail-on changes`, /^--fail-on changes needs --previous FILE\.csv\.$/],
    [`${CHECK} --fail-on expired`, /^--fail-on expired is not one of not-insured, changes, ending, newly-ending, una/],
    [`${CHECK} --ending-within 9 --fail-on newly-ending`, /^--fail-on newly-ending needs --ending FILE\.csv\.$/],
    [`${CHECK} --previous p.csv --changes ./r.csv`, /^--out, --ending, .* must be different files\.$/],
  ])('"%s" are rejected with one sentence', (line, sentence) => {
    expect(() => read(line)).toThrow(sentence);
  });

  it('name the first and the last day of what ends', () => {
    const ending = { from: '2028-02-01', to: '2028-03-02' };
    expect(read(`${CHECK} --date 2028-02-01 --ending-within 30`)).toMatchObject({ ending });
  });
});

it('The progress bar fits into the width of a terminal, and writes nothing to a file or a pipe', () => {
  const COUNTS = '40,000 insured, 3,000 not insured, 1,990 unknown, 10 invalid';
  /** What a bar shows of 100,000 rows, after 45,000 and then at a wait. */
  const shown = (stream: object) => {
    const texts: string[] = [];
    const bar = progressBar({ ...stream, write: (text: string) => texts.push(text) } as unknown as NodeJS.WriteStream);
    bar.show(0, 100_000, '');
    bar.show(45_000, 100_000, COUNTS);
    bar.showWait(new Date(2026, 10, 22, 12, 46));
    bar.clear();
    return texts.map((text) => text.replace(/^\r|.\[K$/g, '').replace(/\d+ s left/, '9 s left'));
  };
  expect(shown({ isTTY: true, columns: 120 })).toEqual([
    `${'░'.repeat(24)} 0 %`,
    `${'█'.repeat(11)}${'░'.repeat(13)} 45 %, 9 s left: ${COUNTS}`,
    expect.stringMatching(/^█+░+ 45 %, waiting for the limit until 12:46:00: 40,000 insured, .* 10 invalid$/),
    '',
  ]);
  expect(shown({ isTTY: true, columns: 80 }).slice(1, 3)).toEqual([
    `45 %, 9 s left: ${COUNTS}`,
    '45 %, waiting for the limit until 12:46:00: 40,000 insured, 3,000 not insured,…',
  ]);
  expect(shown({ isTTY: false })).toEqual([]);
});
