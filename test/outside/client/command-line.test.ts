import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { keyStore } from '../../../admin/keys/key-store.ts';
import { LOCAL_TABLE_NAMES } from '../../../core/tables.ts';
import { addKey } from '../../../local/demo-keys.ts';
import { openDatabase } from '../../../local/sample-database.ts';
import { startStubService, useCommandLine } from './use-client.ts';

const { accountOf, checkText, file, folder, proxy, service, start } = useCommandLine();

const POLICY = /"?(POL|SBX)-[\w-]+"?([,;]).*$/gm;
/** The time of a lookup, and its reference in the next cell. */
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z[,;]\d{4}-\d\d-\d\d-[b-df-hj-np-tv-xz]{8}/g;
/** A result without the policies of the sample data and the time. */
const withoutPolicies = (result = '') => result.replace(POLICY, 'POLICY').replace(TIME, 'TIME');

describe('The command line', () => {
  it('adds columns to Excel’s CSV, row by row, and makes formulas harmless', async () => {
    const input = [
      '\ufeffinsured;Plate;"Note; of ""ours"""',
      '1;AB12 CDE;=1+1',
      '2;"ZZ99ZZZ";"two\r\nlines"',
      '3;KR08NIL;-5',
      '4;;@x',
      '5;AB1OCDE;+44',
      '6',
      '7;AB12CDE;shifted;cell;;',
      '8;AB12_CDE;;;;;',
    ];
    const { code, stdout, stderr, result } = await checkText(`${input.join('\r\n')}\r\n`, '--column', 'plate');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^result.csv: 8 rows, 6 without an answer\.\n/);
    expect(withoutPolicies(result)).toBe(
      [
        'insured;Plate;"Note; of ""ours""";insured_2;policy_number;insurer;cover;valid_from;valid_to;status;suggestion;error;row;sheet;checked_at;reference;sources',
        "1;AB12 CDE;'=1+1;true;POLICY",
        '2;ZZ99ZZZ;"two\r\nlines";;;;;;;;;VEHICLE_NOT_FOUND;3;;TIME;',
        "3;KR08NIL;'-5;false;;;;;;NONE;;;4;;TIME;",
        "4;;'@x;;;;;;;;;INVALID_REGISTRATION;5;;TIME;",
        "5;AB1OCDE;'+44;;;;;;;;AB10CDE;VEHICLE_NOT_FOUND;6;;TIME;",
        '6;;;;;;;;;;;INVALID_REGISTRATION;7;;TIME;',
        '7;AB12CDE;shifted;;;;;;;;;TOO_MANY_CELLS;8;;;;',
        '8;AB12_CDE;;;;;;;;;;INVALID_REGISTRATION;9;;TIME;',
        '',
      ].join('\r\n'),
    );
    expect(await readdir(folder())).toEqual(['fleet.csv', 'result.csv']);
  });

  it('names what is not insured, unknown and invalid of an office’s file, 20 of each, and writes a list of all', async () => {
    const office = await readFile(new URL('../../fixtures/files/23-office-file.csv', import.meta.url));
    const unknown = Array.from({ length: 21 }, (_, nth) => `${nth};;ZZ${10 + nth}ZZZ;`);
    const total = '\r\n;;;Total\r\n';
    const text = Buffer.concat([office, Buffer.from([...unknown, '9;;AB1OCDE;'].join('\r\n') + total)]);
    const { code, stdout } = await checkText(text, '--not-insured', 'list.csv');
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' '));
    expect([code, lines[0]]).toEqual([1, 'result.csv: 26 rows, 22 without an answer.']);
    expect(lines.slice(1, 7)).toEqual([
      ...['Line 4 of fleet.csv names the columns; what is above it is left out.', 'insured 1', 'not insured 1'],
      ...['unknown 22', 'no registration 2', ''],
    ]);
    expect(lines.slice(7, 13)).toEqual([
      ...['not insured: 1', 'registration suggestion row', 'dg65 old 6'.replace(' ', '\u00a0'), ''],
      ...['unknown: 22', 'registration suggestion row'],
    ]);
    expect(lines.slice(-7)).toEqual([
      ...['and 2 more: all are in list.csv', '', 'no registration: 2', 'registration suggestion row'],
      ...['Summe: 2 7', '30', ''],
    ]);
    const list = (await readFile(file('list.csv'), 'utf8')).split('\r\n');
    expect([list.length, ...list.slice(0, 3)]).toEqual([
      25,
      '\ufeffNr;Halle;Reg No;Fahrer;answer;status;valid_to;suggestion;row;sheet;checked_at;reference;sources',
      expect.stringMatching(
        /^2;Süd;dg65\u00a0old;B;not insured;LAPSED;20\d\d-\d\d-\d\d;;6;;20\d\d-\d\d-\d\dT[\d:.]+Z;[\w-]+;$/,
      ),
      expect.stringMatching(/^0;;ZZ10ZZZ;;unknown;;;;8;;20/),
    ]);
    expect(list.at(-2)).toMatch(/^9;;AB1OCDE;;unknown;;;AB10CDE;29;;20/);
  });

  it('checks the one sheet of a workbook with registrations, and says which it is and what is left out', async () => {
    await copyFile(new URL('../../fixtures/workbooks/excel.xlsx', import.meta.url), file('fleet.xlsx'));
    const args = ['check', 'fleet.xlsx', '--out', 'result.csv', '--not-insured', 'list.csv'];
    const german = { ...accountOf('premium'), LC_ALL: 'de_DE.UTF-8' };
    const { code, stdout } = await start(args, german).ended;
    expect([code, ...stdout.split('\n').slice(0, 4)]).toEqual([
      ...[1, 'result.csv: 8 rows, 5 without an answer.'],
      'Line 3 of fleet.xlsx names the columns; what is above it is left out.',
      ...['The list is the sheet "Fleet".', 'The sheet "Sold" is hidden, and left out.'],
    ]);
    const list = (await readFile(file('list.csv'), 'utf8')).replace(TIME, 'TIME').split('\r\n');
    expect(list).toEqual([
      '\ufeffRegistration;Depot;Bought;Seats;Cost;answer;status;valid_to;suggestion;row;sheet;checked_at;reference;sources',
      'KR08NIL;South;2023-12-31;4;2469;not insured;NONE;;;5;Fleet;TIME;',
      " ZZ99ZZZ ;O'Brien & Söhne <K>;2020-02-29;2;#DIV/0!;unknown;;;;6;Fleet;TIME;",
      '20260510;number;;7;0.1;invalid;;;;7;Fleet;;;',
      '2026-05-10;date;;;;invalid;;;;8;Fleet;;;',
      '#N/A;error;;;;invalid;;;;9;Fleet;;;',
      "AB1OCDE;'=1+1 as text;;TRUE;;unknown;;;AB10CDE;11;Fleet;TIME;",
      '',
    ]);
  });

  it('finds the change since a result that Excel has saved again', async () => {
    for (const name of ['fleet', 'previous-resaved-by-excel']) {
      await copyFile(new URL(`../../fixtures/files/01-${name}.csv`, import.meta.url), file(`${name}.csv`));
    }
    const previous = ['--previous', 'previous-resaved-by-excel.csv', '--fail-on', 'changes'];
    const { code, stdout } = await start(['check', 'fleet.csv', '--out', 'result.csv', ...previous]).ended;
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^ {2}DG65OLD +newly uninsured /m)]);
  });

  it('adds compliance verdicts with their reasons and dates', async () => {
    const { code, result } = await checkText('Reg\nTC11ALL\nMT17DUE\nVE24UNK\n', '--compliance');
    expect(code).toBe(1);
    expect(
      result
        ?.replace(TIME, 'TIME')
        .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
        .split('\n'),
    ).toEqual([
      'Reg,compliant,reasons,insurance_valid_to,mot_due,road_tax_paid_until,outstanding_fines,suggestion,error,row,sheet,checked_at,reference,sources',
      expect.stringMatching(
        /^TC11ALL,false,INSURANCE_LAPSED MOT_EXPIRED TAX_EXPIRED FINES_OUTSTANDING,DAY,DAY,DAY,\d+,,,2,,TIME,$/,
      ),
      'MT17DUE,true,,DAY,DAY,DAY,0,,,3,,TIME,',
      'VE24UNK,,,,,,,,COMPLIANCE_NOT_FOUND,4,,TIME,',
      '',
    ]);
  });

  const [FINE, UNINSURED, UNKNOWN, INVALID, UNREAD] = ['AB12CDE', 'KR08NIL', 'ZZ99ZZZ', 'AB12_CDE', 'AB12CDE,x'];
  it.each<[string, string[], number]>([
    ['not-insured', [FINE, UNKNOWN, INVALID], 0],
    ['not-insured', [FINE, UNKNOWN, UNREAD], 1],
    ['not-insured', [UNINSURED, UNREAD], 3],
    ['unanswered', [FINE, UNINSURED], 0],
    ['unanswered', [UNREAD], 1],
    ['unanswered,ending', [UNKNOWN, UNREAD], 3],
    ['unanswered', [INVALID], 3],
  ])('--fail-on %s for %j ends with %i', async (failOn, rows, expected) => {
    const options = ['--fail-on', failOn, '--ending-within', '0'];
    expect((await checkText(`registration\n${rows.join('\n')}\n`, ...options)).code).toBe(expected);
  });

  it('gives added columns names that differ from the input’s and from each other', async () => {
    await checkText('insured,insured_2,registration\nx,y,AB12CDE\n');
    const again = await checkText('insured,insured_2,registration\nx,y,AB12CDE\n', '--previous', 'result.csv');
    expect(again).toMatchObject({
      code: 0,
      result: expect.stringMatching(/^insured,insured_2,registration,insured_3,/),
    });
  });

  it('says of one or a few vehicles what is known, in a line each or as JSON', async () => {
    const lookUp = async (...args: string[]) => {
      const { code, stdout } = await start(['lookup', ...args]).ended;
      return [code, stdout.replace(/\d{4}-\d\d-\d\d/g, 'DAY').trimEnd()];
    };
    const insured = 'insured, policy_number POL-1000-1, insurer Acme Mutual, cover Comprehensive';
    expect(await lookUp('ab12 cde')).toEqual([
      0,
      `ab12 cde, ${insured}, valid_from DAY, valid_to DAY, status IN_FORCE`,
    ]);
    expect(await lookUp('KR08NIL', 'AB1OCDE', '--date', '2020-02-29')).toEqual([
      ...[1, 'KR08NIL, not insured on DAY, status NONE\nAB1OCDE, unknown, suggestion AB10CDE'],
    ]);
    expect(await lookUp('VE24UNK', '--compliance')).toEqual([1, 'VE24UNK, no record']);
    const [code, json = ''] = await lookUp('KR08NIL', '--json');
    expect([code, JSON.parse(`${json}`)]).toEqual([
      0,
      [expect.objectContaining({ registration: 'KR08NIL', insured: false })],
    ]);
  });

  it('sends one reference with all lookups of a check, in each row of its files, or the one that it is given', async () => {
    const sent: (string | undefined)[] = [];
    proxy().inject(({ headers, method }) => {
      if (method === 'POST') sent.push(headers['x-reference'] as string | undefined);
      return undefined;
    });
    const list = `Reg\n${Array.from({ length: 1_500 }, (_, nth) => `X${nth}\n`).join('')}`;
    const own = (await checkText(list)).result?.match(/\d{4}-\d\d-\d\d-[b-z]{8}(?=,)/g) ?? [];
    expect([own.length, new Set([...own, ...sent])]).toEqual([1_500, new Set(own.slice(0, 1))]);
    sent.length = 0;
    const { code, result } = await checkText('Reg\nKR08NIL\n', '--reference', 'case-4711', '--ending-within', '9');
    expect([code, result]).toEqual([0, expect.stringMatching(/Z,case-4711,\n$/)]);
    expect(new Set(sent)).toEqual(new Set(['case-4711']));
    await start(['lookup', 'AB12CDE', '--reference', 'case-4712']).ended;
    expect(sent.at(-1)).toBe('case-4712');
    for (const [reference, sentence] of [
      ['a b', '--reference must be 1 to 64 letters'],
      ['x-kr08.nil', '--reference contains a registration of the list'],
    ] as const) {
      const refused = await checkText('Reg\nKR08NIL\n', '--reference', reference);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
    }
  });

  it('leaves out the columns of policies with a key that sees only whether vehicles are insured', async () => {
    const db = openDatabase(service().dynamodb);
    const record = { name: 'Yes or no', plan: 'premium', environment: 'live', scopes: ['vehicles:status'] } as const;
    const account = {
      ...accountOf('premium'),
      VEHICLE_VERIFICATION_API_KEY: await addKey(keyStore(db, LOCAL_TABLE_NAMES.keys), record, new Date()),
    };
    db.destroy();
    await writeFile(file('fleet.csv'), 'Reg\nAB12CDE\nKR08NIL\nZZ99ZZZ\n');
    const check = [
      'check',
      'fleet.csv',
      '--out',
      'result.csv',
      '--not-insured',
      'list.csv',
      '--previous',
      'result.csv',
    ];
    for (const found of [/^ {2}KR08NIL +new /m, /^Changes since result\.csv: 0$/m]) {
      const { code, stdout } = await start(check, account).ended;
      expect([code, stdout]).toEqual([1, expect.stringMatching(found)]);
    }
    const read = async (name: string) => (await readFile(file(name), 'utf8')).replace(TIME, 'TIME').split('\n');
    expect(await read('result.csv')).toEqual([
      ...[
        'Reg,insured,status,suggestion,error,row,sheet,checked_at,reference,sources',
        'AB12CDE,true,IN_FORCE,,,2,,TIME,',
      ],
      ...['KR08NIL,false,NONE,,,3,,TIME,', 'ZZ99ZZZ,,,,VEHICLE_NOT_FOUND,4,,TIME,', ''],
    ]);
    expect((await read('list.csv')).slice(0, 2)).toEqual([
      ...['Reg,answer,status,suggestion,row,sheet,checked_at,reference,sources', 'KR08NIL,not insured,NONE,,3,,TIME,'],
    ]);
    const { stdout } = await start(['lookup', 'AB12CDE'], account).ended;
    expect(stdout).toBe('AB12CDE, insured, status IN_FORCE\n');
    for (const [option, sentence] of [
      [['--ending-within', '30'], /^--ending-within needs a key with the scope vehicles:read\.$/m],
      [['--compliance', '--ending-within', '30'], /^--ending-within needs a key with the scope vehicles:read\.$/m],
      [['--date', '2026-01-01'], /lacks the scope vehicles:read/],
    ] as const) {
      const { code, stderr } = await start([...check, ...option], account).ended;
      expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
    }
  });

  it('shows the usage of the key as JSON, and its help', async () => {
    const { stdout } = await start(['usage', '--json']).ended;
    expect(JSON.parse(stdout)).toMatchObject({ key: { plan: 'premium' }, limits: { registrationsPerBulk: 1_000 } });
    const [help, option] = [await start(['help'], {}).ended, await start(['--help'], {}).ended];
    expect(help).toEqual({ ...option, code: 0, stdout: expect.stringMatching(/^Usage: /) });
  });

  it('shows the key, its limits and its usage, without control, format and bidi characters of a response', async () => {
    const key = { name: 'A\x1b]0;b\x07\u202ec\nKey d', environment: 'live', scopes: ['\x9b2J', 'x'], plan: 'premium' };
    const hostile = await startStubService({ key });
    const { code, stdout } = await start(['usage'], hostile.account).ended;
    await hostile.close();
    expect([code, ...stdout.split('\n')]).toEqual([
      ...[0, 'Key       A\ufffd]0;b\ufffd\ufffdc\ufffdKey d, live, no expiry', 'Scopes    \ufffd2J, x'],
      'Plan      premium: 6,000 requests in 60 s, 1,000 registrations in each',
      'Window    1 used, 5,999 left until 2026-11-22T12:01:00Z',
      ...['24 hours  0 requests, 0 of them over the limit', ''],
    ]);
    const problem = { status: 403, code: 'X', detail: 'a\x1b[31m\nb', requestId: `\u2066r${'c'.repeat(10_000)}` };
    const rejecting = await startStubService(problem, 403);
    const stderr = `${'403 X: a\ufffd[31m\ufffdb (request \ufffdr'.padEnd(10_000, 'c')}.\n`;
    expect(await start(['usage'], rejecting.account).ended).toEqual({ code: 2, stdout: '', stderr });
    await rejecting.close();
  });

  it('says in one short line that it tries again, and that a response is no usage', async () => {
    const down = await startStubService({ status: 503, code: 'X', detail: 'c'.repeat(20_000) }, 503);
    const { child, ended } = start(['usage'], down.account);
    child.stderr.once('data', () => child.kill('SIGTERM'));
    const stderr = `${'503 X: '.padEnd(10_000, 'c')}. Trying again, 8 times at most.\nStopped.\n`;
    expect(await ended).toEqual({ code: 130, stdout: '', stderr });
    await down.close();
    const faulty = await startStubService({ window: undefined });
    const sentence = 'The response is not the usage of a key with its window.\n';
    expect(await start(['usage'], faulty.account).ended).toEqual({ code: 2, stdout: '', stderr: sentence });
    await faulty.close();
  });

  it.each([[], ['--compliance']])(
    'looks nothing up for a list that has more vehicles than units are left',
    async (...option) => {
      const day = { period: 'day', limit: 1_000, used: 998, resetsAt: '2026-11-23T00:00:00Z' };
      const month = { period: 'month', limit: 20_000, used: 2_000, resetsAt: '2026-12-01T00:00:00Z' };
      const lookedUp: string[] = [];
      const entryOf = (registration: string) => {
        lookedUp.push(registration);
        return { insured: true, compliant: true };
      };
      const limited = await startStubService({ allowance: [month, day] }, 200, { entryOf });
      const check = async (text: string) => {
        await writeFile(file('fleet.csv'), text);
        const { code, stderr } = await start(['check', 'fleet.csv', '--out', 'x.csv', ...option], limited.account)
          .ended;
        return { code, stderr, lookedUp: lookedUp.length };
      };
      const stderr =
        'The plan allows 1,000 units in a day, of which 2 are left until 2026-11-23T00:00:00Z, and the list needs 3: check fewer vehicles, or ask your provider for more. Nothing was looked up.\n';
      expect(await check('Reg\nAB12CDE\nKR08NIL\nMT17DUE\n')).toEqual({ code: 2, stderr, lookedUp: 0 });
      expect(await check('Reg\nAB12CDE\nKR08NIL\n')).toEqual({ code: 0, stderr: '', lookedUp: 2 });
      await limited.close();
      const faulty = await startStubService({ allowance: [null, {}] }, 200, { entryOf });
      await writeFile(file('fleet.csv'), 'Reg\nAB12CDE\n');
      const checked = start(['check', 'fleet.csv', '--out', 'x.csv', ...option], faulty.account);
      expect((await checked.ended).code).toBe(0);
      await faulty.close();
    },
  );

  it('lists what ends, of insurance and MOT, but nothing that is renewed already', async () => {
    const fleet = 'registration\nMT17 DUE\nBD51 SMR\nGM19 REN\nAB12 CDE\n';
    const { stdout } = await checkText(fleet, '--compliance', '--ending-within', '30', '--ending', 'ending.csv');
    expect(stdout).toMatch(/^Ends from \S+ to \S+: 2$/m);
    const ending = await readFile(file('ending.csv'), 'utf8');
    const ends = 'registration,what,last_day\nMT17 DUE,MOT,DAY\nBD51 SMR,insurance,DAY\n';
    expect(ending.replace(/\d{4}-\d\d-\d\d/g, 'DAY')).toBe(ends);
  });
});

describe('The command line ends with 2 and one sentence', () => {
  const CHECK = 'check fleet.csv --out result.csv';
  const NEW = '--out x.csv';
  it.each<[string, RegExp]>([
    ['check fleet.csv --out quote.csv', /^quote\.csv exists and is not an/],
    [`${CHECK} --ending-within 9 --ending quote.csv`, /^quote\.csv exists and is not an/],
    [`${CHECK} --previous fleet.csv`, /^fleet\.csv is not a result/],
    [`${CHECK} --previous old.csv --compliance`, /of another kind/],
    [`${CHECK} --previous old.csv --column note`, /no column "note"/],
    [`check none.csv ${NEW}`, /^There is no file none\.csv\.$/],
    [`check vvc_live_secret ${NEW}`, /^There is no file \(key\)\.$/],
    [`check . ${NEW}`, /^\. cannot be read \(it is a folder\)\.$/],
    [`check empty.csv ${NEW}`, /^empty\.csv is empty\.$/],
    [`check header.csv ${NEW}`, /^header\.csv has no rows below its header\.$/],
    [
      'check /dev/stdin --out x.csv',
      /^\/dev\/stdin is a pipe or a device, which cannot be read twice: write it to a file/,
    ],
    [`${CHECK} --column vrm`, /^fleet\.csv has no column "vrm": choose one of "registration"/],
    ['check fleet.csv --out no/x.csv', /^no\/x\.csv cannot be written \(there is no such folder\)\.$/],
  ])('%s', async (line, sentence) => {
    const added =
      'insured,policy_number,insurer,cover,valid_from,valid_to,status,suggestion,error,row,sheet,checked_at,reference,sources';
    for (const [name, text] of [
      ['fleet.csv', 'registration,note\nAB12CDE,x\n'],
      ['empty.csv', ''],
      ['old.csv', `registration,${added}\nAB12CDE,true,1,,,,,,,,2,,,\nAB12CDE,false,,,,,,,,,3,,,\n`],
      ['quote.csv', 'registration\n"AB12CDE\n'],
      ['header.csv', 'registration,note\n,\n'],
    ] as const) {
      await writeFile(file(name), text);
    }
    const { code, stdout, stderr } = await start(line.split(' ')).ended;
    expect([code, stdout, stderr.trimEnd()]).toEqual([2, '', expect.stringMatching(sentence)]);
    expect(stderr.trimEnd()).not.toMatch(/\n|vvc_/);
  });

  const UNKNOWN = `vvc_live_${'A'.repeat(36)}`;
  const NO_KEY = /^Set VEHICLE_VERIFICATION_API_KEY to the key that you were given, which begins with vvc_\.$/;
  it.each([
    ['BASE_URL', undefined, /^Set VEHICLE_VERIFICATION_BASE_URL to the address of your provider, /],
    ['BASE_URL', 'https://api.example.com/v1', /^Set VEHICLE_\w+ .* in place of https:\/\/api\.example\.com\.$/],
    [
      'BASE_URL',
      'https://api.example.com/v1\r',
      /^VEHICLE_VERIFICATION_BASE_URL is wrong\. .* ends with a carriage return, /,
    ],
    ['API_KEY', undefined, NO_KEY],
    ['API_KEY', 'KEY', NO_KEY],
    ['API_KEY', 'vvc_live_sécret', NO_KEY],
    ['API_KEY', UNKNOWN, /^The service does not accept the key in VEHICLE_VERIFICATION_API_KEY \(req/],
  ])('VEHICLE_VERIFICATION_%s=%s', async (name, value, sentence) => {
    const account = { ...accountOf('premium'), [`VEHICLE_VERIFICATION_${name}`]: value };
    const { code, stdout, stderr } = await start(['usage'], account).ended;
    expect([code, stdout, stderr.trimEnd()]).toEqual([2, '', expect.stringMatching(sentence)]);
    expect(stderr).not.toMatch(/vvc_\w|sécret/);
  });
});
