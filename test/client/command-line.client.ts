import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AMBIGUOUS_HEADERS, CSV_FORMS } from '../support/csv-forms.ts';
import { runCommand } from '../support/run-command.ts';
import { command } from './installed-package.ts';
import { startStubService } from './stub-service.ts';
import { useCommandLine } from './use-command-line.ts';

const { accountOf, checkText, file, folder, service, start } = useCommandLine();

const POLICY = /"?(POL|SBX)-[\w-]+"?([,;]).*$/gm;
/** A result without the policies of the sample data. */
const withoutPolicies = (result = '') => result.replace(POLICY, 'POLICY');

/** The scripts of a page that check a file. */
const scriptsOf = async (page: string): Promise<string[]> => {
  const text = await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const scripts = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, script = '']) => script);
  return scripts.filter((script) => script.includes('vehicle-verification check'));
};
const shell = () => ({
  PATH: `${dirname(command)}${delimiter}${process.env.PATH}`,
  API_ORIGIN: service().origin,
  API_KEY: service().keys.premium,
});

describe('The command line', () => {
  it('adds columns to Excel’s CSV, row by row, and makes formulas harmless', async () => {
    const input = [
      '\ufeffFleet no;Plate;"Note; of ""ours"""',
      '1;AB12 CDE;=1+1',
      '2;"ZZ99ZZZ";"two\r\nlines"',
      '3;KR08NIL;-5',
      '4;;@x',
      '5;AB1OCDE;+44',
      '6',
      '7;AB12CDE;shifted;cell;;',
      '8;AB12_CDE;\t;;;;',
    ];
    const { code, stdout, stderr, result } = await checkText(`${input.join('\r\n')}\r\n`, '--column', 'plate');
    expect([code, stderr, stdout]).toEqual([
      1,
      '',
      expect.stringMatching(/^result.csv: 8 rows, 6 without an answer\.\n/),
    ]);
    expect(withoutPolicies(result)).toBe(
      [
        '\ufeffFleet no;Plate;"Note; of ""ours""";insured;policy_number;insurer;cover;valid_from;valid_to;suggestion;error',
        "1;AB12 CDE;'=1+1;true;POLICY",
        '2;ZZ99ZZZ;"two\r\nlines";;;;;;;;VEHICLE_NOT_FOUND',
        "3;KR08NIL;'-5;false;;;;;;;",
        "4;;'@x;;;;;;;;INVALID_REGISTRATION",
        "5;AB1OCDE;'+44;;;;;;;AB10CDE;VEHICLE_NOT_FOUND",
        '6;;;;;;;;;;INVALID_REGISTRATION',
        '7;AB12CDE;shifted;;;;;;;;TOO_MANY_CELLS',
        "8;AB12_CDE;'\t;;;;;;;;INVALID_REGISTRATION",
        '',
      ].join('\r\n'),
    );
    expect(await readdir(folder())).toEqual(['fleet.csv', 'result.csv']);
  });

  it('adds the whole policy, and ends with 0 when every vehicle is known', async () => {
    const { code, result } = await checkText('registration,insured\nAB12 CDE,?\n');
    expect(code).toBe(0);
    expect(result).toMatch(
      /^registration,insured,insured_2,policy_number,.*\nAB12 CDE,\?,true,POL-1000-1,Acme Mutual,Comprehensive,\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,,\n$/,
    );
  });

  it('adds compliance verdicts with their reasons and dates', async () => {
    const { code, result } = await checkText('Reg\nTC11ALL\nMT17DUE\nVE24UNK\n', '--compliance');
    expect(code).toBe(1);
    expect(result?.replace(/\d{4}-\d\d-\d\d/g, 'DAY').split('\n')).toEqual([
      'Reg,compliant,reasons,insurance_valid_to,mot_due,road_tax_paid_until,outstanding_fines,suggestion,error',
      expect.stringMatching(
        /^TC11ALL,false,INSURANCE_LAPSED MOT_EXPIRED TAX_EXPIRED FINES_OUTSTANDING,DAY,DAY,DAY,\d+,,$/,
      ),
      'MT17DUE,true,,DAY,DAY,DAY,0,,',
      'VE24UNK,,,,,,,,COMPLIANCE_NOT_FOUND',
      '',
    ]);
  });

  it('checks insurance on another day', async () => {
    expect((await checkText('registration\nAB12CDE\n', '--date', '2020-02-29')).result).toContain('AB12CDE,false,');
  });

  it.each(CSV_FORMS)(
    'reads %s, and writes a mark for Excel unless the input is UTF-8 without one',
    async (form, written) => {
      const { code, result } = await checkText(written('registration,owner\nAB12CDE,José\n'));
      expect([code, result?.startsWith('\ufeff')]).toEqual([0, /UTF-16|Windows|mark/.test(form)]);
      expect(result).toMatch(/AB12CDE.José.true/);
    },
  );

  it('shows the scopes, limits and usage of the key', async () => {
    const { code, stdout } = await start(['usage']).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Plan {6}premium: 6,000 requests in 60 s, 1,000 registrations in each$/m);
    expect(stdout).toMatch(/^Window {4}[\d,]+ used, [\d,]+ left until \S+Z$/m);
  });

  it('prints no control, format or bidi character of a response', async () => {
    const key = { name: 'A\x1b]0;b\x07\u202ec\nKey d', environment: 'live', scopes: ['\x9b2J'], plan: 'premium' };
    const hostile = await startStubService({ key });
    const { code, stdout } = await start(['usage'], hostile.account).ended;
    await hostile.close();
    expect([code, ...stdout.split('\n').slice(0, 2)]).toEqual([
      ...[0, 'Key       A\ufffd]0;b\ufffd\ufffdc\ufffdKey d, live, no expiry', 'Scopes    \ufffd2J'],
    ]);
    const problem = { status: 403, code: 'X', detail: 'a\x1b[31m\nb', requestId: '\u2066r' };
    const rejecting = await startStubService(problem, 403);
    const stderr = '403 X: a\ufffd[31m\ufffdb (request \ufffdr).\n';
    expect(await start(['usage'], rejecting.account).ended).toEqual({ code: 2, stdout: '', stderr });
    await rejecting.close();
  });

  it('checks the spreadsheet of the guide as it is shown there', async () => {
    const [script = ''] = await scriptsOf('integration.md');
    expect(await runCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder(), env: shell() })).toMatch(
      /^result\.csv: 2 rows, 1 without an answer\.$/m,
    );
    const [header, known, unknown] = (await readFile(file('result.csv'), 'utf8')).split('\n');
    expect(header).toBe('registration,depot,insured,policy_number,insurer,cover,valid_from,valid_to,suggestion,error');
    expect(known).toMatch(/^AB12 CDE,North,true,/);
    expect(unknown).toBe('ZZ99ZZZ,South,,,,,,,,VEHICLE_NOT_FOUND');
  });

  it('lists what ends with the command of the guide, but nothing that is renewed already', async () => {
    const [, script = ''] = await scriptsOf('integration.md');
    expect(await runCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder(), env: shell() })).toMatch(
      /^Ends from \S+ to \S+: 2$/m,
    );
    const list = (await readFile(file('ending.csv'), 'utf8')).replace(/\d{4}-\d\d-\d\d/g, 'DAY');
    expect(list).toBe('registration,what,last_day\nMT17 DUE,MOT,DAY\nBD51 SMR,insurance,DAY\n');
  });

  it('runs the nightly job of the guide: the second night lists what has changed', async () => {
    const [, script = ''] = await scriptsOf('nightly-check.md');
    await writeFile(
      file('key.env'),
      'export VEHICLE_VERIFICATION_BASE_URL="$API_ORIGIN/v1" VEHICLE_VERIFICATION_API_KEY="$API_KEY"\n',
    );
    const env = { ...shell(), KEY_FILE: file('key.env'), FLEET_FOLDER: folder() };
    const night = async (fleet: string) => {
      await writeFile(file('fleet.csv'), `registration\n${fleet}`);
      return runCommand('sh', ['-c', `(${script}\n); echo "ends with $?"`], { env });
    };
    expect(await night('AB12CDE\n')).toBe('ends with 0');
    const earlier = (await readFile(file('result.csv'), 'utf8')).replace('POL-', 'OLD-');
    await writeFile(file('result.csv'), earlier);
    const mail = await night('AB12CDE\nKR08NIL\nBD51SMR\n');
    expect(mail).toMatch(/^Fleet check, exit code 3\n\nresult\.csv: 3 rows, 0 without an answer\.\n/);
    expect(mail).toMatch(/\n--fail-on has found not-insured \(1\), changes \(3\), ending \(1\)\.\nends with 3$/);
    expect(await readFile(file('changes.csv'), 'utf8')).toBe(
      'registration,change,before,after\nAB12CDE,changed policy,insured OLD-1000-1,insured POL-1000-1\n' +
        'KR08NIL,new,,not insured\nBD51SMR,new,,insured POL-1001-1\n',
    );
    // Without an answer comes first, and what was found is named all the same.
    expect(await night('ZZ99ZZZ\n')).toMatch(/\n--fail-on has found changes \(4\)\.\nends with 1$/);
  });
});

describe('The command line ends with 2 and one sentence', () => {
  const CHECK = ['check', 'fleet.csv', '--out', 'result.csv'];
  it.each<[string, string[], RegExp]>([
    ['without a command', [], /^The command is "check" or "usage"; see --help\.$/],
    ['with a key on the command line', ['usage', '--key', 'vvc_live_secret'], /^Unknown option '--key'; see --help\.$/],
    ['without a file', ['check', '--out', 'x.csv'], /^Give one CSV file to check; see --help\.$/],
    ['without --out', ['check', 'fleet.csv'], /^Name the file for the result with --out\.$/],
    ['with --date and --compliance', [...CHECK, '--compliance', '--date', '2026-01-01'], /leave out --date\.$/],
    ['with another form of a date', [...CHECK, '--date', '01/01/2026'], /^--date 01\/01\/2026 is not a day from/],
    ['over a file that is no result', ['check', 'fleet.csv', '--out', 'quote.csv'], /^quote\.csv exists and is not an/],
    ['over a list that is no list', [...CHECK, '--ending-within', '9', '--ending', 'quote.csv'], /^quote\.csv exists/],
    ['with a previous file that is no result', [...CHECK, '--previous', 'fleet.csv'], /^fleet\.csv is not a result/],
    ['with a previous result of another check', [...CHECK, '--previous', 'old.csv', '--compliance'], /of another kind/],
    [
      'with a previous result of another file',
      [...CHECK, '--previous', 'old.csv', '--column', 'note'],
      /no column "note"/,
    ],
    ['with a vehicle twice in the previous result', [...CHECK, '--previous', 'old.csv'], /^old\.csv has AB12CDE twice/],
    [
      'with a folder as the previous result',
      [...CHECK, '--previous', 'folder'],
      /^folder cannot be read \(it is a folder\)\.$/,
    ],
    ['without the file', ['check', 'none.csv', '--out', 'x.csv'], /^There is no file none\.csv\.$/],
    ['with a key in place of a file', ['check', 'vvc_live_secret', '--out', 'x.csv'], /^There is no file \(key\)\.$/],
    ['with a folder', ['check', '.', '--out', 'x.csv'], /^\. cannot be read \(it is a folder\)\.$/],
    ['with an empty file', ['check', 'empty.csv', '--out', 'x.csv'], /^empty\.csv is empty\.$/],
    [
      'with a workbook',
      ['check', 'fleet.xlsx', '--out', 'x.csv'],
      /^fleet\.xlsx is an Excel workbook: save the sheet as/,
    ],
    [
      'with a quote that is not closed',
      ['check', 'quote.csv', '--out', 'x.csv'],
      /^quote\.csv is not CSV: a quote is not/,
    ],
    [
      'without the column',
      [...CHECK, '--column', 'vrm'],
      /^fleet\.csv has no column "vrm": choose one of "registration"/,
    ],
    ...AMBIGUOUS_HEADERS.map((header, nth): [string, string[], RegExp] => [
      `with ${header}`,
      ['check', `ambiguous${nth}.csv`, '--out', 'x.csv'],
      /^ambiguous\d\.csv has several columns that could be the registration: choose one of "\w.*", "\w+" with --column\.$/,
    ]),
    ['over its input', ['check', 'fleet.csv', '--out', './fleet.csv'], /^The result would overwrite the input/],
    ['with a folder for the result', ['check', 'fleet.csv', '--out', 'folder'], /^folder is a folder: name a file\.$/],
    [
      'in a folder that is not there',
      ['check', 'fleet.csv', '--out', 'no/x.csv'],
      /^no\/x\.csv cannot be written \(there is no such folder\)\.$/,
    ],
  ])('%s', async (_title, args, sentence) => {
    await writeFile(file('fleet.csv'), 'registration,note\nAB12CDE,x\n');
    await writeFile(file('empty.csv'), '');
    const added = 'insured,policy_number,insurer,cover,valid_from,valid_to,suggestion,error';
    await writeFile(file('old.csv'), `registration,${added}\nAB12CDE,true,1,,,,,,\nAB12CDE,false,,,,,,,\n`);
    for (const [nth, header] of AMBIGUOUS_HEADERS.entries()) await writeFile(file(`ambiguous${nth}.csv`), header);
    await writeFile(file('quote.csv'), 'registration\n"AB12CDE\n');
    await writeFile(file('fleet.xlsx'), 'PK\x03\x04');
    await mkdir(file('folder'));
    const { code, stdout, stderr } = await start(args).ended;
    expect([code, stdout, stderr.trimEnd()]).toEqual([2, '', expect.stringMatching(sentence)]);
    expect(stderr.trimEnd()).not.toMatch(/\n|vvc_/);
  });

  const UNKNOWN = `vvc_live_${'A'.repeat(36)}`;
  it.each<[string, object, RegExp]>([
    ['without an address', { apiKey: UNKNOWN }, /^Set VEHICLE_VERIFICATION_BASE_URL to the address of the service/],
    ['with an address without /v1', { apiKey: UNKNOWN, baseUrl: 'http://127.0.0.1:1' }, /with \/v1 at its end\.$/],
    ['without a key', { baseUrl: 'http://127.0.0.1:1/v1' }, /^Set VEHICLE_VERIFICATION_API_KEY to your key\.$/],
    ['with an invalid key', { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'sécret' }, /contains invalid characters\.$/],
    [
      'with a wrong key',
      { apiKey: UNKNOWN },
      /^The service does not accept the key in VEHICLE_VERIFICATION_API_KEY \(req/,
    ],
  ])('%s', async (title, account, sentence) => {
    const own = title === 'with a wrong key' ? { ...accountOf('premium'), ...account } : account;
    const { code, stdout, stderr } = await start(['usage'], own).ended;
    expect([code, stdout, stderr.trimEnd()]).toEqual([2, '', expect.stringMatching(sentence)]);
    expect(stderr).not.toMatch(/vvc_|sécret/);
  });
});
