import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sharedEndpoint, storeItems } from '../../support/engine.ts';
import { forOperation, onNthCall, withProbability } from '../../support/fault-choosers.ts';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { CAN_CONTINUE, commandLine, failure, stagingFilesOf } from '../command-line.ts';
import { storedRecords } from '../stored-records.ts';

const { run, file, pathOf, engine, proxy, countedRun, interruptedRun, signalledRun, rejectedLines } = commandLine();

const REGISTRATIONS = ['AB12CDE', 'KR08NIL', 'MT17DUE', 'STAYS'];
const MANY = Array.from({ length: 1_500 }, (_, index) => `R${index}`);

const store = async (registrations: readonly string[]): Promise<void> => {
  const { client, names } = engine();
  await storeItems(
    client,
    names.vehicles,
    registrations.map((one) => aVehicle(one)),
  );
  await storeItems(
    client,
    names.compliance,
    registrations.map((one) => aCompliance(one)),
  );
};
const stored = async (table: 'vehicles' | 'compliance') =>
  (await storedRecords(engine(), table)).map(({ registration }) => registration);
/** DynamoDB Local now and then returns the old item to two concurrent deletions: 1,501 removed of 1,500. */
const itWithAtomicDeletion = sharedEndpoint() === undefined ? it : it.skip;
const removedBy = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as { removed: number; notThere: number };

beforeEach(() => store(REGISTRATIONS));

describe('remove vehicles', () => {
  it.each<[string, string, string]>([
    ['a CSV', 'r.csv', 'registration\nab12 cde\nKR08-NIL\nmt17.due\n'],
    [
      'a CSV with a mark, semicolons and columns that it does not know',
      'r.csv',
      '\uFEFFNote;Registration;note\r\nx;AB12CDE;1\r\ny;KR08NIL;2\r\n;MT17DUE;\r\n',
    ],
    [
      'NDJSON, such as an export',
      'r.ndjson',
      ['AB12CDE', 'kr08 nil', 'MT17DUE']
        .map((registration) => JSON.stringify({ ...aVehicle(registration) }))
        .join('\n'),
    ],
    ['plain text with a mark and blank lines', 'r.txt', '\uFEFFAB12CDE\r\n\r\n kr08 nil \r\nMT17DUE'],
    [
      'a vehicle in several rows, as in a vehicles CSV',
      'r.csv',
      'registration,policy_number\nAB12CDE,P1\nKR08NIL,P1\nMT17DUE,P1\nab12 cde,P2\n',
    ],
  ])('erases the vehicles that a file names, and nothing else: %s', async (_format, name, text) => {
    const result = await run(['remove', 'vehicles', await file(name, text)]);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/rows read +vehicles removed +not there +rows rejected.*\n +[34] +3 +0 +0 /),
      stderr: 'Only vehicles were removed; "remove compliance" removes compliance records.\n',
    });
    expect(await stored('vehicles')).toEqual(['STAYS']);
    expect(await stored('compliance')).toEqual(REGISTRATIONS);
  });

  it('counts what is not there, and changes nothing the second time', async () => {
    const path = await file('r.txt', 'AB12CDE\nNOT1\nNOT2\n');
    const first = await run(['remove', 'vehicles', path, '--json']);
    expect([first.exitCode, removedBy(first)]).toMatchObject([
      0,
      { kind: 'vehicles', removed: 1, notThere: 2, rejected: 0 },
    ]);
    expect(removedBy(await run(['remove', 'vehicles', path, '--json']))).toMatchObject({ removed: 0, notThere: 3 });
    expect(await stored('vehicles')).toEqual(REGISTRATIONS.slice(1));
  });

  it.each<[string, string, readonly string[], string]>([
    ['r.txt', 'AB12CDE\nAB_12\nKR08NIL\n', ['registration: may contain only letters'], '"AB_12"'],
    ['r.csv', 'registration\nAB12CDE\n""""\nKR08NIL\n', ['registration: may contain only letters'], '"\\"\\"\\"\\""'],
    ['r.csv', 'registration,n\nAB12CDE,1\nMT17DUE\nKR08NIL,1\n', ['the row has too few columns'], '"MT17DUE"'],
    [
      'r.ndjson',
      '{"registration":"AB12CDE"}\n{"reg":"MT17DUE"}\n{"registration":"KR08NIL"}\n',
      ['registration: is missing'],
      '{"reg":"MT17DUE"}',
    ],
  ])('does the good rows and reports the bad one of %s (%j)', async (name, text, reasons, row) => {
    const path = await file(name, text);
    const result = await run(['remove', 'vehicles', path]);
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('1 row was rejected') });
    expect(result.stdout + result.stderr).not.toMatch(/MT17DUE|AB_12/);
    const rejected = { row: JSON.parse(row), reasons: reasons.map((reason) => expect.stringContaining(reason)) };
    expect(await rejectedLines(path)).toMatchObject([rejected]);
    expect(await stored('vehicles')).toEqual(['MT17DUE', 'STAYS']);
  });

  it.each<[string, string, string]>([
    ['r.csv', 'AB12CDE\nKR08NIL\n', 'its first line must name registration'],
    ['r.csv', '', 'the file is empty'],
    ['r.list', 'AB12CDE\n', 'the name of the file must end in .csv, .ndjson or .txt'],
  ])('is rejected with a sentence, and nothing is removed: %s %j', async (name, text, sentence) => {
    expect(await run(['remove', 'vehicles', await file(name, text)])).toEqual(failure(sentence));
    expect(await stored('vehicles')).toEqual(REGISTRATIONS);
  });

  it('is rejected with a sentence when there is no such file, and does nothing for an empty one', async () => {
    expect(await run(['remove', 'vehicles', pathOf('no.txt')])).toEqual(failure('there is no such file'));
    const empty = await run(['remove', 'vehicles', await file('r.txt', '\n')]);
    expect(empty).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^The file is empty: nothing was removed\./),
    });
  });
});

it('a removal that the database stops says how many records were removed, and how to go on', async () => {
  const path = await file('r.txt', 'AB12CDE\nKR08NIL\n');
  proxy().inject(forOperation('DeleteItem', onNthCall(2, 'deny')));
  const stopped = await countedRun(['remove', 'vehicles', path]);
  expect(stopped).toEqual(failure(`; 1 record was removed before, ${CAN_CONTINUE}`));
  proxy().reset();
  expect(await run(['remove', 'vehicles', path])).toMatchObject({ exitCode: 0 });
  expect(await stored('vehicles')).toEqual(['MT17DUE', 'STAYS']);
});

it('remove compliance erases compliance records only', async () => {
  const result = await run(['remove', 'compliance', await file('r.txt', 'AB12CDE\n')]);
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('"remove vehicles" removes') });
  expect(await stored('compliance')).toEqual(REGISTRATIONS.slice(1));
  expect(await stored('vehicles')).toEqual(REGISTRATIONS);
});

describe('A removal of many vehicles', () => {
  beforeEach(() => store(MANY));

  it('that Ctrl-C stopped is continued by the same command, which removes each once', async () => {
    const path = await file('r.txt', MANY.join('\n'));
    const stopped = await interruptedRun(['remove', 'vehicles', path, '--json'], 100, 'DeleteItem');
    expect([stopped.exitCode, stagingFilesOf(path).length]).toEqual([130, 1]);
    const { removed } = removedBy(stopped);
    // Not the rest of what was read at a time: that could take longer than a process may take to end.
    expect(removed).toBeLessThan(100 + 2 * 32);
    proxy().reset();
    const continued = await countedRun(['remove', 'vehicles', path, '--json']);
    expect([continued.exitCode, removedBy(continued)]).toMatchObject([
      0,
      { removed: MANY.length - removed, notThere: 0 },
    ]);
    expect(proxy().calls.filter(({ operation }) => operation === 'DeleteItem')).toHaveLength(MANY.length - removed);
    expect(await stored('vehicles')).toEqual(REGISTRATIONS);
    expect(stagingFilesOf(path)).toEqual([]);
  });

  it('that was killed is continued by the same command, which repeats few rows and leaves none', async () => {
    const path = await file('r.csv', `registration\n${MANY.join('\n')}\nB_D\n`);
    const killed = await signalledRun(['remove', 'vehicles', path], 800, 'DeleteItem', ['SIGKILL']);
    expect(killed.signal).toBe('SIGKILL');
    proxy().reset();
    expect(await countedRun(['remove', 'vehicles', path])).toMatchObject({ exitCode: 1 });
    const deletions = proxy().calls.filter(({ operation }) => operation === 'DeleteItem').length;
    // The page of rows since the position was saved, and the requests in flight.
    expect(deletions).toBeLessThanOrEqual(MANY.length - 800 + 500 + 2 * 32);
    expect(await stored('vehicles')).toEqual(REGISTRATIONS);
    expect(await rejectedLines(path)).toMatchObject([{ line: MANY.length + 2 }]);
    expect(await readFile(path, 'utf8')).toContain('R0');
  });

  it('counts rightly while the database throttles, and removes all when answers are lost', async () => {
    proxy().inject(forOperation('DeleteItem', withProbability(0.1, ['throttle', 'error'], 1)));
    const half = await file('half.txt', MANY.slice(0, 750).join('\n'));
    expect(removedBy(await countedRun(['remove', 'vehicles', half, '--json']))).toMatchObject({
      removed: 750,
      notThere: 0,
    });
    proxy().inject(forOperation('DeleteItem', withProbability(0.1, ['errorAfter', 'resetAfter'], 1)));
    const { removed, notThere } = removedBy(
      await countedRun(['remove', 'vehicles', await file('r.txt', MANY.slice(750).join('\n')), '--json']),
    );
    expect(removed + notThere).toBe(750);
    expect(await stored('vehicles')).toEqual(REGISTRATIONS);
  });

  itWithAtomicDeletion('counts each vehicle once when two run at the same time', async () => {
    const paths = [await file('a.txt', MANY.join('\n')), await file('b.txt', MANY.toReversed().join('\n'))];
    const results = await Promise.all(paths.map((path) => run(['remove', 'vehicles', path, '--json'])));
    const counts = results.map(removedBy);
    expect(counts.reduce((sum, { removed }) => sum + removed, 0)).toBe(MANY.length);
    expect(counts.reduce((sum, { notThere }) => sum + notThere, 0)).toBe(MANY.length);
    expect(await stored('vehicles')).toEqual(REGISTRATIONS);
  });
});
