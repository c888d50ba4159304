import { beforeEach, describe, expect, it } from '@jest/globals';
import { storeItems } from '../../support/engine.ts';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { commandLine, failure } from '../command-line.ts';
import { storedRecords } from '../stored-records.ts';

const { run, file, engine } = commandLine();

const REGISTRATIONS = ['AB12CDE', 'KR08NIL', 'STAYS'];
const stored = async () => (await storedRecords(engine(), 'vehicles')).map(({ registration }) => registration);
const remove = (...args: string[]) => run(['remove', 'vehicles', ...args]);

beforeEach(() =>
  storeItems(
    engine().client,
    engine().names.vehicles,
    REGISTRATIONS.map((one) => aVehicle(one)),
  ),
);

describe('remove vehicles --registration', () => {
  it('erases vehicles in any spelling, each counted once', async () => {
    const result = await remove('--registration', 'ab12 cde', 'AB12-CDE', 'kr08nil', 'NOT1');
    expect(result).toEqual({
      exitCode: 0,
      stdout: 'removed: 2, not there: 1\n',
      stderr: 'Only vehicles were removed; "remove compliance" removes compliance records.\n',
    });
    expect(await stored()).toEqual(['STAYS']);
  });

  it('erases compliance records only after "remove compliance"', async () => {
    await storeItems(engine().client, engine().names.compliance, [aCompliance('AB12CDE')]);
    const { stdout } = await run(['remove', 'compliance', '--registration', 'AB12CDE']);
    expect(stdout).toBe('removed: 1, not there: 0\n');
    expect([await storedRecords(engine(), 'compliance'), await stored()]).toEqual([[], REGISTRATIONS]);
  });

  it('gives its counts with --json', async () => {
    const { stdout, stderr } = await remove('--json', '--registration', 'AB12CDE', '--registration', 'NOT1');
    expect([JSON.parse(stdout), stderr]).toEqual([{ kind: 'vehicles', removed: 1, notThere: 1 }, '']);
  });

  it.each<[string[], string]>([
    [[], 'name a FILE, or registrations with --registration R…'],
    [['FILE', '--registration', 'AB12CDE'], 'give either a FILE or --registration, not both'],
    [
      ['--restart', '--registration', 'AB12CDE'],
      '--restart and --staging are for a FILE: leave them out with --registration',
    ],
    [
      ['--registration', 'AB12CDE', 'A_B'],
      'registration 2 may contain only letters (A to Z, Ä, Ö, Ü, Å), digits, spaces, hyphens and dots; nothing was removed',
    ],
    [['--registration', ' '], 'registration 1 must not be blank; nothing was removed'],
    [['--registration'], "option '--registration <registrations...>' argument missing; see --help"],
  ])('is rejected with one sentence, and nothing is removed: %j', async (args, sentence) => {
    const path = await file('r.txt', 'AB12CDE');
    const given = args.map((arg) => (arg === 'FILE' ? path : arg));
    expect(await remove(...given)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${sentence}\n` });
    expect(await stored()).toEqual(REGISTRATIONS);
  });

  it('is rejected with one sentence for data that cannot be removed', async () => {
    expect(await run(['remove', 'content', '--registration', 'A1'])).toEqual(failure("unknown command 'content'"));
  });
});
