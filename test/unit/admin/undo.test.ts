import { appendFileSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SuppliedVehicle } from '../../../admin/records/vehicle-parts.ts';
import { findLoadSince, recordFinishedLoad } from '../../../core/finished-loads.ts';
import { complianceLine, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { aPolicy, aVehicle } from '../../support/records.ts';
import { failure, NOW, useAdmin } from '../../support/use-admin.ts';

const admin = useAdmin();
const { run, json, file, stored, clear, pathOf } = admin;

let files = 0;
/** Loads a file of its own name. @returns its changes file */
const load = async (supplier: string, policies: Readonly<Record<string, string>>, ...options: string[]) => {
  files += 1;
  const rows = Object.entries(policies).map(([registration, policy_number]) =>
    vehicleRow({ registration, policy_number }),
  );
  const result = await admin.load('vehicles', `${files}.csv`, vehiclesCsv(...rows), '--supplier', supplier, ...options);
  expect(result).toMatchObject({ exitCode: 0 });
  return `${result.path}.changes.ndjson`;
};

/** What is stored, without revisions. */
const records = async (table: 'vehicles' | 'compliance' = 'vehicles') =>
  (await stored<SuppliedVehicle & { revision?: string }>(table)).map(({ revision, ...record }) => record);
/** The policies of every vehicle, each as its supplier and its number. */
const policies = async () =>
  Object.fromEntries(
    (await records()).map((one) => [one.registration, one.policies?.map((p) => `${p.supplier} ${p.number}`)]),
  );

const later = (seconds: number) => ({ now: new Date(NOW.getTime() + seconds * 1_000) });
const undo = (path: string, ...options: string[]) => json<Record<string, unknown>>(['undo', path, ...options]);

/** Without the finished loads of an earlier test. */
const forgetLoads = () =>
  admin
    .engine()
    .client.send(new DeleteCommand({ TableName: admin.engine().names.usage, Key: { keyId: 'loads', windowStart: 0 } }));

beforeEach(async () => {
  await clear();
  await forgetLoads();
});

describe('undo', () => {
  it.each([
    ['has changed', { policy_number: 'A3' }],
    ['has confirmed with another last update', { policy_number: 'WRONG', last_updated: '2026-02-02T00:00:00Z' }],
  ])('leaves, counts and names what a later load %s', async (_what, cells) => {
    await load('acme', { V1: 'A1', V2: 'A2' });
    const changes = await load('acme', { V1: 'WRONG', V2: 'WRONG' });
    await admin.load('vehicles', 'l.csv', vehiclesCsv(vehicleRow({ registration: 'V1', ...cells })), '--supplier=acme');
    const result = await run(['undo', changes, '--although-loaded-since', '--json']);
    const changedSinceFile = `${changes}.changed-since.txt`;
    expect(result).toMatchObject({ exitCode: 1 });
    expect(JSON.parse(result.stdout)).toMatchObject({ putBack: 1, changedSince: 1, changedSinceFile });
    expect(readFileSync(changedSinceFile, 'utf8')).toBe('V1\n');
    expect(await policies()).toEqual({ V1: [`acme ${cells.policy_number}`], V2: ['acme A2'] });
  });

  it('brings a vehicle back that had more policies than are permitted now', async () => {
    const policies = Array.from({ length: 21 }, (_, nth) => aPolicy({ number: `P${nth}` }));
    await admin.store('vehicles', aVehicle('V1', policies));
    await run(['remove', 'vehicles', '--registration', 'V1']);
    expect(await undo(pathOf('remove-vehicles.changes.ndjson'))).toMatchObject({ putBack: 1, rejected: 0 });
  });

  it('brings nothing back of a vehicle that was erased since the load began, also when that was undone', async () => {
    await load('acme', { V1: 'A1' });
    const path = await file('gone.txt', 'V1\n');
    await run(['remove', 'vehicles', path], later(1));
    for (const [nth, options] of [[], ['--undo']].entries()) {
      await run(['erase', '--registration', 'V1', ...options], later(2 + nth));
    }
    expect(await undo(`${path}.changes.ndjson`)).toMatchObject({ putBack: 0, erased: 1 });
  });

  it('brings back what was loaded and removed after an erasure was undone, whose note stays', async () => {
    await run(['erase', '--registration', 'V1']);
    await run(['erase', '--registration', 'V1', '--undo'], later(1));
    await load('acme', { V1: 'A1' });
    const before = await records();
    const path = await file('gone.txt', 'V1\n');
    await run(['remove', 'vehicles', path], later(2));
    expect(await undo(`${path}.changes.ndjson`)).toMatchObject({ putBack: 1 });
    expect(await records()).toEqual(before);
    expect(before).toMatchObject([{ erasureUndone: expect.any(String) }]);
  });

  it('refuses the file of a dry run, of another table and of another stack', async () => {
    expect(await run(['undo', await load('acme', { V1: 'A1' }, '--dry-run')])).toEqual(failure('of a dry run'));
    const changes = await load('acme', { V1: 'A1' });
    const text = readFileSync(changes, 'utf8');
    const other = await file('other.ndjson', text.replace(/"stack":"[^"]+"/, '"stack":"the stack other in eu-west-2"'));
    expect(await run(['undo', other])).toEqual(failure(/another table \(\S+, the stack other in eu-west-2\)/));
    expect(await run(['undo', changes, '--tables', 'vehicles=others'])).toEqual(failure('another table'));
    expect(await policies()).toEqual({ V1: ['acme A1'] });
  });

  it.each<[string, readonly string[], boolean]>([
    ['another load of its supplier', ['import', 'vehicles', 'since.csv', '--supplier', 'acme'], true],
    ['a removal of whole vehicles', ['remove', 'vehicles', '--registration', 'V9'], true],
    ['a load of another supplier', ['import', 'vehicles', 'since.csv', '--supplier', 'zeta'], false],
    ['a dry run', ['import', 'vehicles', 'since.csv', '--supplier', 'acme', '--dry-run'], false],
    ['an undo', ['undo', 'first.csv.changes.ndjson', '--although-loaded-since'], false],
  ])('after %s, which may have confirmed what the load wrote, is refused: %p', async (_title, args, isRefused) => {
    await load('zeta', { V9: 'Z9' });
    await admin.load('vehicles', 'first.csv', vehiclesCsv(vehicleRow({ registration: 'V2' })), '--supplier', 'acme');
    const changes = await load('acme', { V1: 'A1' });
    await file('since.csv', vehiclesCsv(vehicleRow({ registration: 'V1', policy_number: 'A1' })));
    const since = args.map((arg) => (arg.includes('.csv') ? pathOf(arg) : arg));
    expect(await run(since, later(60))).toMatchObject({ exitCode: 0 });
    if (isRefused) {
      const sentence = 'another load of its kind and supplier has finished since, at';
      expect(await run(['undo', changes])).toEqual(failure(`${sentence} ${later(60).now.toISOString()}`));
      expect(await policies()).toMatchObject({ V1: ['acme A1'] });
    }
    const options = isRefused ? ['--although-loaded-since'] : [];
    expect(await undo(changes, ...options)).toMatchObject({ putBack: 1 });
  });

  it('takes a load that has finished itself after it began, and finds one that began and ended while it ran', async () => {
    const changes = await load('acme', { V1: 'A1' });
    const { load: id } = JSON.parse(readFileSync(changes, 'utf8').split('\n')[0] ?? '');
    const { client, names } = admin.engine();
    const record = (id: string, seconds: number) => {
      const load = { id, at: later(seconds).now.toISOString() };
      return recordFinishedLoad(client, names.usage, [{ kind: 'vehicles', supplier: 'acme' }], load);
    };
    await forgetLoads();
    await record(id, 60);
    expect(await undo(changes)).toMatchObject({ putBack: 1 });
    await record('short', 70);
    // The response to the first attempt was lost.
    for (const _attempt of [1, 2]) await record('long', 80);
    const long = { load: 'long', supplier: 'acme', began: later(65).now.toISOString() };
    expect(await findLoadSince(client, names.usage, ['vehicles'], long)).toMatchObject({ id: 'short' });
  });

  it('with --dry-run counts, and writes nothing', async () => {
    const changes = await load('acme', { V1: 'A1' });
    const before = await records();
    expect(await undo(changes, '--dry-run')).toMatchObject({ putBack: 1, noLongerInsured: 1 });
    expect(await records()).toEqual(before);
  });

  it('takes the objects of the intake, in their folder, and refuses a copy that lacks one or has one of another load', async () => {
    await load('acme', { V1: 'A1' });
    const before = await records();
    const changes = await load('acme', { V1: 'WRONG', V2: 'WRONG' });
    const [first, ...lines] = readFileSync(changes, 'utf8').trimEnd().split('\n');
    const folder = pathOf('20261121T120030Z-1a2b3c4d');
    await mkdir(folder);
    await writeFile(`${folder}/missing.txt`, 'V9\n');
    for (const [nth, line] of lines.entries()) {
      await writeFile(`${folder}/00000${nth + 1}.ndjson`, `${first}\n${line}\n`);
    }
    await rename(`${folder}/000001.ndjson`, pathOf('1'));
    expect(await run(['undo', folder])).toEqual(failure('before 000002.ndjson an object is missing'));
    await rename(pathOf('1'), `${folder}/000001.ndjson`);
    expect(await undo(`${folder}/`)).toMatchObject({ putBack: 2, changesFile: `${folder}.changes.ndjson` });
    expect(await records()).toEqual(before);
    await writeFile(`${folder}/000003.ndjson`, readFileSync(await load('acme', { V1: 'A2' })));
    expect(await run(['undo', folder])).toEqual(failure('the changes of several loads'));
  });

  it('takes the last line of a record, and skips what was never written and a line that a kill has cut off', async () => {
    await load('acme', { V1: 'A1', V3: 'A3' });
    const early = await load('acme', { V1: 'A2' });
    const changes = await load('acme', { V1: 'WRONG', V2: 'WRONG' });
    const [first, ...lines] = readFileSync(changes, 'utf8').trimEnd().split('\n');
    const ofV1 = lines.find((line) => line.includes('"V1"')) ?? '';
    // The first attempt read what was stored before the load `early`, which came in between.
    const { before } = JSON.parse(readFileSync(early, 'utf8').split('\n')[1] ?? '');
    const earlier = JSON.stringify({ ...JSON.parse(ofV1), before });
    const unsent = JSON.stringify({ ...JSON.parse(ofV1), registration: 'V3' });
    const path = await file('killed.ndjson', `${[first, earlier, ...lines].join('\n')}\n`);
    appendFileSync(path, `${unsent.replace('WRONG', 'X')}\n${ofV1.slice(0, 40)}`);
    expect(await undo(path)).toMatchObject({ read: 4, putBack: 2 });
    expect(await policies()).toEqual({ V1: ['acme A2'], V3: ['acme A3'] });
  });

  it('takes of each part the last line that has it, because an attempt whose response was lost may have written the others', async () => {
    await admin.load('compliance', 'c.ndjson', complianceLine({ registration: 'V1' }));
    await admin.load('mot', 'mot.csv', 'registration,mot_due\nV1,2027-04-04\n');
    const before = await records('compliance');
    const line = complianceLine({ registration: 'V1', outstandingFines: 9, mot: { exempt: true } });
    const { path } = await admin.load('compliance', 'd.ndjson', line);
    const [first = '', text = ''] = readFileSync(`${path}.changes.ndjson`, 'utf8').split('\n');
    const last = JSON.parse(text);
    // Between the attempts somebody has changed the MOT.
    const again = { ...last, before: { mot: last.before.mot }, written: { mot: last.written.mot } };
    const lines = [first, text, JSON.stringify(again)].join('\n');
    expect(await undo(await file('attempts.ndjson', `${lines}\n`))).toMatchObject({ putBack: 1 });
    expect(await records('compliance')).toEqual(before);
  });

  it('takes the file of a load that has changed nothing', async () => {
    await load('acme', { V1: 'A1' });
    expect(await undo(await load('acme', { V1: 'A1' }))).toMatchObject({ putBack: 0, rejected: 0 });
  });

  it('rejects a line that somebody has changed so that it has no record any more', async () => {
    await load('acme', { V1: 'A1', V2: 'A2' });
    const changes = await load('acme', { V1: 'WRONG', V2: 'WRONG' });
    const text = readFileSync(changes, 'utf8');
    const edited = await file('edited.ndjson', text.replace('"make":"Ford",', ''));
    expect(await undo(edited)).toMatchObject({ putBack: 1, rejected: 1 });
    expect(Object.values(await policies()).toSorted()).toEqual([['acme A2'], ['acme WRONG']]);
  });

  it.each(['"before":null', '"before":{"acme":null}', '"written":1', '"change":"made"'])(
    'rejects, and `changes` refuses, a line that somebody has made another one: %s',
    async (edited) => {
      const changes = await load('acme', { V1: 'A1' });
      const text = readFileSync(changes, 'utf8').replace('"written":', `${edited},"was":`);
      const path = await file('edited.ndjson', text);
      const reason = expect.stringContaining('this is not a line of a changes file');
      expect(await run(['undo', path])).toMatchObject({ exitCode: 1, stderr: reason });
      expect(await run(['changes', path])).toEqual(failure('line 2 is not a line of a changes file'));
    },
  );

  it('puts a record back that a restore has replaced, with the parts of every supplier', async () => {
    await load('acme', { V1: 'A1' });
    await run(['export', 'vehicles', pathOf('export.ndjson')]);
    await load('acme', { V1: 'A2' });
    await load('zeta', { V1: 'Z1' });
    const before = await records();
    await run(['import', 'vehicles', pathOf('export.ndjson'), '--restore']);
    expect(await policies()).toEqual({ V1: ['acme A1'] });
    expect(await undo(pathOf('export.ndjson.changes.ndjson'))).toMatchObject({ putBack: 1 });
    expect(await records()).toEqual(before);
  });

  it('works by part of a compliance record: a part that was loaded since stays, and is a reason to refuse', async () => {
    const line = { registration: 'V1', mot: { dueDate: '2026-12-01' } };
    await admin.load('compliance', 'c.ndjson', complianceLine(line));
    const wrong = complianceLine({ ...line, mot: { exempt: true }, outstandingFines: 9 });
    const { path } = await admin.load('compliance', 'd.ndjson', wrong);
    await run(['import', 'fines', await file('f.csv', 'registration,outstanding_fines\nV1,5\n')], later(60));
    const args = ['undo', `${path}.changes.ndjson`];
    expect(await run(args)).toEqual(failure('has finished since'));
    expect(await json([...args, '--although-loaded-since'])).toMatchObject({ putBack: 0, changedSince: 1 });
    expect(await records('compliance')).toMatchObject([{ mot: { dueDate: '2026-12-01' }, fines: { outstanding: 5 } }]);
  });
});
