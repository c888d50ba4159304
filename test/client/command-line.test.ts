import { link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readArguments } from '../../client/src/command-line/arguments.ts';
import { changesOf, readAnswers } from '../../client/src/command-line/changes.ts';
import { complianceCheck, failureCells, insuranceCheck } from '../../client/src/command-line/checks.ts';
import type { ResultRow } from '../../client/src/command-line/earlier-result.ts';
import { writeFileWhole } from '../../client/src/command-line/output-file.ts';
import { progressBar } from '../../client/src/command-line/progress-bar.ts';
import { openResult } from '../../client/src/command-line/result-file.ts';
import { countRows, failedRows, shortSummary, summaryLines } from '../../client/src/command-line/summary.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'result-file-'));
  await writeFile(file('fleet.csv'), 'registration\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const file = (name: string) => join(folder, name);

const openFor = async (baseUrl = 'https://api.example.com/v1') => {
  const input = await stat(file('fleet.csv'), { bigint: true });
  return openResult(file('result.csv'), { input, identity: 'same', baseUrl });
};
/** The names of the files that it writes, other than its lock. */
const WRITTEN = ['result.csv', 'result.csv.part', 'result.csv.part.json', 'result.csv.part.json.new'];

describe('The result of a check', () => {
  it('is readable by its owner only, as are its unfinished files', async () => {
    const modeOf = async (name: string) => ((await stat(file(name))).mode & 0o777).toString(8);
    await writeFile(file('result.csv.part'), 'of an earlier version', { mode: 0o644 });
    const result = await openFor();
    await result.append('text', { rows: 1, counts: {} });
    for (const name of await readdir(folder))
      if (name !== 'fleet.csv') expect([name, await modeOf(name)]).toEqual([name, '600']);
    await result.finish();
    await result.close();
    expect(await readdir(folder)).toEqual(['fleet.csv', 'result.csv']);
    expect(await modeOf('result.csv')).toBe('600');
  });

  it.each(WRITTEN)('overwrites neither what a link leads to nor the input, if they are at %s', async (name) => {
    await symlink('fleet.csv', file(name));
    await expect(openFor()).rejects.toThrow(`${name} is a link or a device, not a file: name another one.`);
    await rm(file(name));
    await link(file('fleet.csv'), file(name));
    await expect(openFor()).rejects.toThrow('The result would overwrite the input: choose another --out.');
    expect(await readFile(file('fleet.csv'), 'utf8')).toBe('registration\n');
  });

  it('continues with the same service only, and starts again after an earlier version, which stored no address', async () => {
    const first = await openFor();
    await first.append('text', { rows: 1, counts: {} });
    await first.close();
    await expect(openFor('https://other.example.com/v1')).rejects.toThrow(
      /result\.csv\.part has answers from https:\/\/api\.example\.com\/v1: use that address again, or delete .*/,
    );
    const second = await openFor();
    expect([second.isNew, second.progress()]).toMatchObject([false, { rows: 1 }]);
    await second.close();
    const { baseUrl, ...earlier } = JSON.parse(await readFile(file('result.csv.part.json'), 'utf8'));
    await writeFile(file('result.csv.part.json'), JSON.stringify(earlier));
    const third = await openFor();
    expect([baseUrl, third.isNew]).toEqual(['https://api.example.com/v1', true]);
    await third.close();
  });
});

describe('The lock of a result', () => {
  it('keeps another process away while its own runs', async () => {
    const held = file(`result.csv.${process.ppid}.lock`);
    await writeFile(held, '');
    await expect(openFor()).rejects.toThrow(`Process ${process.ppid} is writing ${file('result.csv')}: wait for it`);
    expect((await readdir(folder)).filter((name) => name.includes('part'))).toEqual([]);
  });

  it('is deleted when its process has ended, unless it is not an empty file', async () => {
    // Above the largest pid of any system.
    const [abandoned, other] = ['result.csv.2000000001.lock', 'result.csv.2000000002.lock'];
    await writeFile(file(abandoned), '');
    await writeFile(file(other), 'not a lock');
    await (await openFor()).close();
    expect((await readdir(folder)).filter((name) => name.includes('lock'))).toEqual([other]);
  });
});

describe('A file that a check writes', () => {
  const write = async (text: string, force = false) => {
    const input = await stat(file('fleet.csv'), { bigint: true });
    const isOwn = (header: readonly string[]) => `${header}` === 'registration,what';
    const texts = async function* () {
      yield text;
      if (text === 'half') throw new Error('stopped');
    };
    return writeFileWhole(file('list.csv'), { input, isOwn, force }, texts());
  };

  it.each([
    ['is empty', '', true],
    ['is an earlier result', '\ufeffregistration;what\r\nAB12CDE;MOT\r\n', true],
    ['is another list', 'registration,what,note\n', false],
    ['is no CSV', '"', false],
    ['is binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), false],
  ])('replaces what is there only when that %s', async (_title, before, isReplaced) => {
    await writeFile(file('list.csv'), before);
    const outcome = await write('new').catch((error: Error) => error.message);
    const sentence = `${file('list.csv')} exists and is not an earlier result: name another file, or overwrite it with --force.`;
    expect(outcome).toBe(isReplaced ? undefined : sentence);
    expect(await readFile(file('list.csv'))).toEqual(Buffer.from(isReplaced ? 'new' : before));
    await write('forced', true);
    expect(await readFile(file('list.csv'), 'utf8')).toBe('forced');
    expect(await readdir(folder)).toEqual(['fleet.csv', 'list.csv']);
  });

  it('leaves what is there when the list ends with an error', async () => {
    await writeFile(file('list.csv'), 'registration,what\n');
    await expect(write('half')).rejects.toThrow('stopped');
    expect(await readFile(file('list.csv'), 'utf8')).toBe('registration,what\n');
    expect(await readdir(folder)).toEqual(['fleet.csv', 'list.csv']);
  });
});

/** A row of an insurance check: `true POL-1`, `false`, or the code of an error. */
const row = (registration: string, answer: string): ResultRow => {
  const [verdict = '', policy = ''] = answer.split(' ');
  const isError = /^[A-Z]/.test(verdict);
  const cells = isError ? failureCells(insuranceCheck, verdict) : [verdict, policy, '', '', '', '', '', ''];
  return { registration, cells };
};
/** Rows as `AB12CDE: true POL-1, ZZ1: VEHICLE_NOT_FOUND`. */
async function* rowsOf(text: string) {
  for (const [, registration = '', answer = ''] of text.matchAll(/([^,:]*): ([^,]*)(?:, |$)/g))
    yield row(registration, answer);
}
const compare = async (before: string, after: string) => {
  const previous = await readAnswers('old.csv', insuranceCheck, rowsOf(before));
  return Array.fromAsync(changesOf(insuranceCheck, previous, rowsOf(after)));
};

describe('The list of changes', () => {
  const GONE = ['AB12CDE', 'gone', 'insured POL-1', ''];
  it.each([
    ['newly uninsured', 'true POL-1', 'false POL-1'],
    ['insured again', 'false', 'true POL-1'],
    ['changed policy', 'true POL-1', 'true POL-2'],
    ['gone', 'true POL-1', 'VEHICLE_NOT_FOUND'],
    ['new', 'VEHICLE_NOT_FOUND', 'false'],
    ['nothing', 'true POL-1', 'true POL-1'],
    ['nothing', 'VEHICLE_NOT_FOUND', 'INVALID_REGISTRATION'],
    ['nothing', 'true POL-1', 'LOOKUP_UNAVAILABLE'],
    ['nothing', 'INVALID_ANSWER', 'true POL-1'],
    ['nothing', 'true POL-1', 'TOO_MANY_CELLS'],
    ['nothing', 'true POL-1', 'MALFORMED_ROW'],
    ['nothing', 'true POL-1', 'CODE_OF_A_LATER_VERSION'],
  ])('says "%s" when %s becomes %s', async (change, before, after) => {
    const changes = await compare(`AB12 CDE: ${before}`, `ab12-cde: ${after}`);
    const expected = change === 'nothing' ? [] : [['ab12-cde', change]];
    expect(changes.map(([registration, what]) => [registration, what])).toEqual(expected);
  });

  it('has new and gone vehicles, each once, whatever the order of the rows', async () => {
    const before = 'AB12CDE: true POL-1, KR08NIL: false, : INVALID_REGISTRATION';
    const after = 'ZZ1: VEHICLE_NOT_FOUND, KR08 NIL: false, ZZ1: VEHICLE_NOT_FOUND, : ';
    expect(await compare(before, after)).toEqual([['ZZ1', 'new', '', 'unknown'], GONE]);
    expect(await compare('AB12CDE: LOOKUP_UNAVAILABLE', '')).toEqual([]);
  });

  it('takes a vehicle that is twice in the earlier result once, unless its answers differ', async () => {
    const twice = (answer: string) => compare(`AB12CDE: true POL-1, AB12 CDE: ${answer}`, '');
    expect(await twice('true POL-1')).toEqual([GONE]);
    expect(await twice('LOOKUP_UNAVAILABLE')).toEqual([GONE]);
    const sentence = 'old.csv has AB12 CDE twice, with different answers: delete one of the rows.';
    await expect(twice('false')).rejects.toThrow(sentence);
  });
});

describe('The summary', () => {
  const linesOf = (...summary: Parameters<typeof summaryLines>) =>
    summaryLines(...summary).map((line) => line.trim().replace(/ {2,}/g, ' '));

  it('counts each outcome, and rows without an answer apart from uninsured ones', () => {
    const answers = ['true POL-1', 'false', 'INVALID_REGISTRATION', 'TOO_MANY_CELLS', 'LOOKUP_UNAVAILABLE', 'OTHER'];
    const cells = answers.map((answer) => row('AB12CDE', answer).cells);
    const suggested = failureCells(insuranceCheck, 'VEHICLE_NOT_FOUND', 'AB10CDE');
    const counts = countRows(countRows({}, insuranceCheck, cells), insuranceCheck, [suggested]);
    expect(failedRows(insuranceCheck, 7, counts)).toBe(5);
    expect(shortSummary(insuranceCheck, counts)).toBe('1 insured, 1 not insured, 1 unknown, 2 invalid, 2 not read');
    const lines = ['insured 1', 'not insured 1', 'unknown 1 (1 with a suggestion)', 'invalid 2', 'not read 2'];
    expect(linesOf(insuranceCheck, counts)).toEqual(lines);
  });

  it('of compliance also has the reasons, the most frequent first', () => {
    const verdict = (reasons: string) => [`${reasons === ''}`, reasons, '', '', '', '0', '', ''];
    const rows = ['', 'MOT_EXPIRED', 'INSURANCE_LAPSED MOT_EXPIRED', 'NO_POLICY MOT_EXPIRED'].map(verdict);
    const counts = countRows({}, complianceCheck, [...rows, failureCells(complianceCheck, 'COMPLIANCE_NOT_FOUND')]);
    expect(linesOf(complianceCheck, counts)).toEqual([
      ...['compliant 1', 'not compliant 3', 'MOT_EXPIRED 3', 'INSURANCE_LAPSED 1', 'NO_POLICY 1'],
      ...['insured 2', 'not insured 2', 'unknown 0', 'no record 1', 'invalid 0', 'not read 0'],
    ]);
  });
});

describe('The arguments', () => {
  const read = (line: string) => readArguments(line.split(' ').filter(Boolean));
  const CHECK = 'check fleet.csv --out r.csv';

  it.each<[string, RegExp]>([
    ['', /^The command is "check" or "usage"; see --help\.$/],
    ['usage --key vvc_live_secret', /^Unknown option '--key'; see --help\.$/],
    ['check --out r.csv', /^Give one CSV file to check; see --help\.$/],
    ['check fleet.csv', /^Name the file for the result with --out\.$/],
    [`${CHECK} --compliance --date 2026-01-01`, /leave out --date\.$/],
    [`${CHECK} --encoding latin1`, /^--encoding latin1 is not one of utf-8, utf-16le, utf-16be, windows-1252\.$/],
    [`${CHECK} --date 01/01/2026`, /^--date .* is not a day from 1900-01-01 to 2099-12-31: write it as 2026-01-31\.$/],
    [`${CHECK} --date 2026-02-30`, /^--date 2026-02-30 is not a day/],
    [`${CHECK} --date 1899-12-31`, /^--date 1899-12-31 is not a day/],
    [`${CHECK} --ending-within month`, /^--.* month is not a number of days: write it as 30, at most 9999\.$/],
    [`${CHECK} --ending-within 30 --date 2099-12-01`, /^--ending-within 30 goes beyond 2099-12-31: give fewer days\.$/],
    [`${CHECK} --ending e.csv`, /^--ending needs --ending-within DAYS\.$/],
    [`${CHECK} --changes c.csv`, /^--changes needs --previous FILE\.csv\.$/],
    [`${CHECK} --fail-on not-insured,ending`, /^--fail-on ending needs --ending-within DAYS\.$/],
    [`${CHECK} --fail-on changes`, /^--fail-on changes needs --previous FILE\.csv\.$/],
    [`${CHECK} --fail-on expired`, /^--fail-on expired is not one of not-insured, changes, ending\.$/],
    [`${CHECK} --previous p.csv --changes ./r.csv`, /^--out, --ending and --changes must be different files\.$/],
  ])('"%s" are rejected with one sentence', (line, sentence) => {
    expect(() => read(line)).toThrow(sentence);
  });

  it('name the first and the last day of what ends', () => {
    const ending = { from: '2028-02-01', to: '2028-03-02', days: 30 };
    expect(read(`${CHECK} --date 2028-02-01 --ending-within 30`)).toMatchObject({ check: { ending } });
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
