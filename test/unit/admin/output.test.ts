import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { manyVehicles, VEHICLES, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { outcomeOf } from '../../support/program.ts';
import { failure, runAdminCommand, useAdmin } from '../../support/use-admin.ts';

const { run, json, countedRun, writes, atCall, file, pathOf, engine, processArguments } = useAdmin();

const NOBODY = '0'.repeat(20);
/** Commands that name a key. */
const ON_A_KEY = [`update ${NOBODY} --plan free`, `usage ${NOBODY} --month 2026-11`].concat(
  ['revoke', 'rotate', 'usage'].map((command) => `${command} ${NOBODY}`),
);
/** A row for a command line with this text in place of the percent sign. */
const ofEach =
  (line: string, sentence: string) =>
  (text: string): [string, string] => [line.replace('%', text), sentence];
const NO_ID = 'a key\'s id has 20 hexadecimal digits (never the key itself); "keys list" shows them';
const NAME = 'A name has 1 to 100 characters, none of them invisible; see --help';
const DOMAINS = 'Write 1 to 50 whole domains separated by commas, such as a.example,b.example';
const CUSTOMER = 'A customer has 1 to 32 letters, digits, _ and -, and begins with a letter or a digit; see --help';
const ADDRESSES = 'Write 1 to 50 IP addresses or ranges separated by commas, such as 203.0.113.7,2001:db8::/32';
const OVERLAP = 'Write a whole number of days from 0 to 365; 0 revokes the old key at once';
const CREATE = 'keys create --plan free --name';
const NOT_TOGETHER = '--if-newer cannot be combined with --complete, and nothing was loaded';
const CHARACTERS = 'contains "_" (U+005F)';
const fiftyOneAddresses = Array.from({ length: 51 }, (_, index) => `192.0.2.${index}`).join(',');
const NO_RANGES = ['192.0.2.0/33', '2001:db8::/129', '192.0.2.0/'];
const NO_ADDRESSES = [...NO_RANGES, '', '192.0.2', 'a.example', '192.0.2.1,', fiftyOneAddresses];
const fiftyOne = Array.from({ length: 51 }, (_, index) => `a${index}.example`).join(',');

describe('A command line is rejected with one sentence, and nothing is changed', () => {
  it.each<[args: string, sentence: string]>([
    ['', 'keys, import, intake, remove, changes, undo, erase, export, lookup, lookups, tables; see --help'],
    ['keys', 'a command is missing, one of create, list, rotate, revoke, update, usage, restore; see --help'],
    ['kyes', "unknown command 'kyes' (Did you mean keys?); see --help"],
    ['keys list --tables nobody-', 'does not have the tables of this service: create them with "npm start"'],

    ['keys create --name A --plan gold', 'there is no plan gold: there are free, standard, premium'],
    ['keys create --plan free', "required option '--name <name>' not specified; see --help"],
    ...['=', ` ${'x'.repeat(101)}`, ' a\u009bb', ' a\u202eb'].map(ofEach(`${CREATE}%`, NAME)),
    [`${CREATE} A --scopes all`, 'Allowed scopes, separated by commas: vehicles:read, compliance:read'],
    ...['', '-', 'a.b', 'é', 'x'.repeat(33)].map(ofEach(`${CREATE} A --customer=%`, CUSTOMER)),
    ...['*.example', '', fiftyOne].map(ofEach(`${CREATE} A --domains=%`, DOMAINS)),
    ...NO_ADDRESSES.map(ofEach(`${CREATE} A --addresses=%`, ADDRESSES)),
    [`${CREATE} A --expires 2026-02-30`, 'Write a day as YYYY-MM-DD'],
    [`${CREATE} A --expires 2026-11-20`, '2026-11-20 is in the past: use --expires 2026-11-21 (today, Europe/London)'],

    [`keys update ${NOBODY}`, '--no-domains, --addresses, --no-addresses and --expires is missing'],
    [`keys update ${NOBODY} --domains a..example`, DOMAINS],
    ...ON_A_KEY.map(ofEach(`keys %`, `no key has the id ${NOBODY}`)),
    ...ON_A_KEY.map((command) => command.replace(NOBODY, 'vvc_live_1')).map(ofEach('keys %', NO_ID)),
    ...['-1', '1.5', '366', ''].map(ofEach('keys rotate 1 --overlap-days=%', OVERLAP)),
    ['keys usage --month 2026-12', '2026-12 has not begun (UTC)'],
    ['keys usage --month 2026-13', 'Use a month of the form YYYY-MM'],
    ...['--csv a.csv', `${NOBODY} --by-customer`].map(ofEach('keys usage %', '--csv and --by-customer belong to')),
    ['keys usage', 'the id of a key is missing, or --month; see --help'],
    ['keys restore', "required option '--from <table>' not specified; see --help"],
    ['keys restore --from nowhere', 'has no table nowhere, or it is not ready yet'],

    ...['', 'r.txt --registration A1', 'f.txt --all'].map(
      ofEach('remove vehicles %', 'name one of FILE, --registration R… and --all: nothing was removed'),
    ),
    ['remove vehicles --map a=b --registration A1', '--map names columns of a CSV file'],
    ['remove vehicles --registration A1 A_B', `registration 2 ${CHARACTERS}; nothing was changed`],
    ['remove vehicles --supplier acme', '--supplier is for --all, and nothing was removed'],
    ['remove compliance --all', "unknown option '--all'"],

    ...['', 'e.txt --registration V1'].map(ofEach('erase %', 'name one of FILE, --registration R… and --from TABLE')),
    ['erase e.txt --undo', '--undo needs --registration'],
    [`erase --registration V1 A_B`, `registration 2 ${CHARACTERS}; nothing was changed`],
    ['erase --from nowhere', 'has no table nowhere, or it is not ready yet'],

    ...['Acme', '-', 'x'.repeat(33)].map(ofEach('import vehicles v.csv --supplier %', 'Write 1 to 32 of a-z, 0-9 and')),
    ['import vehicles v.ndjson --supplier constructor', 'and not "constructor"'],
    ...['content', 'compliance'].map(ofEach('import % v.ndjson --supplier acme', "unknown option '--supplier'")),
    ['import vehicles v.ndjson --restore --supplier acme', '--restore cannot be combined with --supplier'],
    ['import vehicles v.ndjson --restore --complete', '--restore cannot be combined with --complete'],
    ['import vehicles v.csv --if-newer --complete', NOT_TOGETHER],
    ['import mot v.ndjson --restore', "unknown option '--restore'"],
    ['import vehicles v.csv --encoding klingon', 'Write the name of an encoding, such as windows-1252, macintosh'],
    ['import vehicles v.csv --remove-at-most=1', '--remove-at-most is for --complete'],
    ['remove vehicles --all --ended-before 2021-01-01', 'and --all, or --ended-before alone: nothing was removed'],
    ['remove vehicles --ended-before 2021-02-29', 'Write a day as YYYY-MM-DD'],
    ['remove vehicles --all --remove-at-most=1', '--remove-at-most is for --ended-before'],
    ['import vehicles v.csv --lose-cover-at-most=1', '--lose-cover-at-most is for --complete'],
    ...['-1', '101%'].map(ofEach('import vehicles v.csv --complete --remove-at-most=%', 'Write a number such as 200')),
    ['import content v.ndjson --complete', "unknown option '--complete'"],
    ['export content v.csv', 'an export is NDJSON; give a name that ends in .ndjson'],
    ...['0', '1.5', 'many'].map(ofEach('export vehicles v.ndjson --read-units %', 'Write a whole number from 1')),
    ['export vehicles no/folder.ndjson', 'there is no such folder: no'],
    ['lookup A_B', `the registration A_B ${CHARACTERS}`],
    ...['delete', 'remove'].map(ofEach(`keys % ${NOBODY}`, 'end one at once with "keys revoke ID"; see --help')),
  ])('%s', async (line, sentence) => {
    const args = line.split(' ').filter(Boolean);
    const result = await countedRun(args);
    expect(result).toEqual(failure(sentence));
    expect(result.stderr).toMatch(/^error: \P{Cc}*\n$/u);
    expect(result.stderr).not.toContain('vvc_');
    const error = result.stderr.slice('error: '.length, -1);
    expect(JSON.parse((await countedRun([...args, '--json'])).stderr)).toEqual({ error, exitCode: 2 });
    expect(writes()).toEqual([]);
  });

  it('for an invalid address of the database, in --dynamodb or DYNAMODB_PORT', async () => {
    const result = await runAdminCommand(['keys', 'list', '--dynamodb', 'localhost'], engine().names);
    expect(result).toEqual(failure('error: localhost (--dynamodb, or port DYNAMODB_PORT) is not the address of a'));
    const { endpoint, names } = engine();
    const list = (port: string) => runAdminCommand(['keys', 'list'], names, { env: { DYNAMODB_PORT: port } });
    expect(await list(new URL(endpoint).port)).toMatchObject({ exitCode: 0 });
    expect(await list('eighty')).toEqual(failure('error: http://127.0.0.1:eighty (--dynamodb, or port DYNAMODB_PORT)'));
  });
});

/** The command lines of a program's commands, from the help pages. */
const commandsOf = async (...path: readonly string[]): Promise<string[]> => {
  const { stdout } = await run([...path, '--help']);
  const [, list = ''] = /^Commands:\n((?: .*\n)+)/m.exec(stdout) ?? [];
  const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].flatMap(([, name = '']) => (name === 'help' ? [] : name));
  if (names.length === 0) return [path.join(' ')];
  return (await Promise.all(names.map((name) => commandsOf(...path, name)))).flat();
};

it('The help of each command has one example, and marks the options that it requires', async () => {
  const commands = await commandsOf();
  expect(commands.length).toBeGreaterThan(15);
  for (const command of commands) {
    const { stdout } = await run([...command.split(' '), '--help']);
    expect(
      stdout.match(/^Example:\n {2}npm run --silent admin -- (.*)$/gm)?.map((text) => text.split(' -- ')[1]),
    ).toEqual([expect.stringMatching(new RegExp(`^${command}( |$)`))]);
    for (const option of /required option '(--\w+) /.exec((await run(command.split(' '))).stderr)?.slice(1) ?? []) {
      expect(stdout).toMatch(new RegExp(` ${option} <[\\s\\S]*?\\(required\\)`));
    }
  }
});

it('--help has the exit codes, and the columns of a file with their other names in lines of at most 80 characters', async () => {
  expect(await run(['--help'])).toEqual({ exitCode: 0, stdout: expect.stringMatching(/Exit codes:/), stderr: '' });
  const { stdout } = await run(['import', 'vehicles', '--help']);
  const [, columns = ''] = stdout.split('other columns are ignored:\n');
  expect(columns).toMatch(
    /^ {2}registration {7}registration no, [\s\S]*^ {2}color {14}colour, [\s\S]*^ {2}last_updated {7}\(optional\) /m,
  );
  expect(columns.split('\n').filter(({ length }) => length > 80)).toEqual([]);
});

it('A process that rejects rows exits with 1, and with --json writes one document, and nothing else, to standard output', async () => {
  const path = await file('v.csv', vehiclesCsv(vehicleRow(), vehicleRow({ registration: 'B1', valid_to: '1/2/2027' })));
  const args = processArguments('import', 'vehicles', path, '--json');
  const { stdout, stderr, exitCode } = await outcomeOf(spawn(process.execPath, args));
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  const outcomes = { loaded: 1, unchanged: 0, kept: 0, removed: 0, notThere: 0, erased: 0, undone: 0 };
  const counts = { read: 2, ...outcomes, repeated: 0, otherVehicles: 0, withoutValue: 0 };
  const problems = { rejected: 1, damaged: 0, interrupted: false, unknownFormat: { count: 0, first: [] } };
  const times = { seconds: expect.any(Number), rowsPerSecond: expect.any(Number) };
  const files = { file: path, removedFile: null, damagedFile: null, rejectedFile: `${path}.rejected.csv` };
  const changes = { changesFile: `${path}.changes.ndjson`, becameInsured: 1, noLongerInsured: 0 };
  const reason = { reason: 'valid_to must be YYYY-MM-DD', advice: '--dates uk reads DD/MM/YYYY', rows: 1 };
  const reasons = [{ ...reason, firstLine: 3, firstValue: '1/2/2027' }];
  const all = { kind: 'vehicles', dryRun: false, ...counts, ...problems, ...times, ...files, ...changes, reasons };
  expect(JSON.parse(stdout)).toEqual(all);
});

it.each([
  ['closed', 'ignore', 1, /^$/],
  ['full', '/dev/full', 2, /^{"error":"standard output cannot be written \(ENOSPC\)","exitCode":2}\n$/],
])(
  'A process says by its exit code what became of it when its standard output is %s',
  async (_what, output, exitCode, sentence) => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow({ year: 'x' })));
    const args = processArguments('import', 'vehicles', path, '--json');
    const child = spawn(process.execPath, args, {
      stdio: ['pipe', output === 'ignore' ? 'pipe' : openSync(output, 'w'), 'pipe'],
    });
    child.stdout?.destroy();
    const closed = once(child, 'close');
    expect(await text(child.stderr as NodeJS.ReadableStream)).toMatch(sentence);
    expect(await closed).toEqual([exitCode, null]);
  },
);

it('A process that is killed leaves no other file than that of its changes, and the same command does what is left', async () => {
  const path = await file('v.csv', manyVehicles('KILL'));
  const child = spawn(process.execPath, processArguments('import', 'vehicles', path));
  atCall(VEHICLES / 2, 'PutItem', () => child.kill('SIGKILL'));
  expect(await outcomeOf(child)).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  expect(readdirSync(pathOf())).toEqual(['v.csv', 'v.csv.changes.ndjson']);
  const { loaded, unchanged } = await json<{ loaded: number; unchanged: number }>(['import', 'vehicles', path]);
  expect(Math.min(loaded, unchanged)).toBeGreaterThan(0);
  expect(loaded + unchanged).toBe(VEHICLES);
});
