/** What commands do that run at the same time. */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { DynamoItem } from '../../core/aws/database.ts';
import { aPolicy } from '../support/records.ts';
import { policyLine, useCommands } from './use-commands.ts';

const { proxy, run, file, stored } = useCommands();

const REGISTRATION = ['--registration', 'V1'];
const ALL_MAY_GO = ['--complete', '--remove-at-most=100%', '--lose-cover-at-most=100%'];

/** The arguments of an import of one supplier's vehicles, each named with the number of its policy. */
const loading = async (supplier: string, vehicles: Readonly<Record<string, string>>, ...options: string[]) => {
  const lines = Object.entries(vehicles).map(([registration, number]) => policyLine(registration, number));
  const path = await file(`${supplier}-${Object.values(vehicles).join('-')}.ndjson`, ...lines);
  return ['import', 'vehicles', path, '--supplier', supplier, ...options];
};
const load = async (...args: Parameters<typeof loading>) => run(...(await loading(...args)));

const erase = ['erase', ...REGISTRATION];
/**
 * Runs a command, and the others while its call, the nth of an operation, is on its way to the database. The responses to
 * earlier calls of the operation are lost. @returns its data
 */
const raceCommands = async (
  late: readonly string[],
  [operation, nth = 1]: readonly [operation: string, nth?: number],
  ...early: readonly (readonly string[])[]
) => {
  let calls = 0;
  proxy().inject(async (call) => {
    if (call.operation !== operation) return undefined;
    calls += 1;
    if (calls === nth) for (const args of early) await run(...args);
    return calls < nth ? 'resetAfter' : undefined;
  });
  return run(...late).finally(() => expect(calls).toBeGreaterThanOrEqual(nth));
};

const policies = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await stored<DynamoItem>()).map(({ registration, policies = [] }) => [
      registration,
      (policies as { supplier: string; number: string }[]).map((one) => `${one.supplier} ${one.number}`),
    ]),
  );

const erased = async () =>
  (await Promise.all([stored<DynamoItem>('vehicles'), stored<DynamoItem>('compliance')])).map((all) =>
    all.map((item) => 'erased' in item),
  );

it('Two suppliers that load a vehicle at the same time both have their part', async () => {
  await load('acme', { V1: 'A1' });
  const late = await loading('acme', { V1: 'A2' });
  expect(await raceCommands(late, ['PutItem'], await loading('zeta', { V1: 'Z1' }))).toMatchObject({ loaded: 1 });
  expect(await policies()).toEqual({ V1: ['acme A2', 'zeta Z1'] });
});

it('A vehicle that is erased while it is loaded stays erased', async () => {
  await load('acme', { V1: 'A1' });
  const late = await loading('acme', { V1: 'A2' });
  expect(await raceCommands(late, ['PutItem'], erase)).toMatchObject({ loaded: 0, erased: 1 });
  expect(await erased()).toEqual([[true], [true]]);
});

it('An erasure that is undone twice at the same time is undone once, and what was loaded in between stays', async () => {
  await load('acme', { V1: 'A1' });
  await run(...erase);
  const undo = [...erase, '--undo'];
  const early = [undo, await loading('acme', { V1: 'A2' })];
  expect(await raceCommands(undo, ['TransactWriteItems'], ...early)).toMatchObject({ undone: 0, notThere: 1 });
  expect(await policies()).toEqual({ V1: ['acme A2'] });
});

it('A removed vehicle comes back with the part that is loaded, without the parts that were removed', async () => {
  await load('acme', { V1: 'A1' });
  await load('zeta', { V1: 'Z1' });
  const late = await loading('acme', { V1: 'A2' });
  const remove = ['remove', 'vehicles', ...REGISTRATION];
  expect(await raceCommands(late, ['PutItem'], remove)).toMatchObject({ loaded: 1 });
  expect(await policies()).toEqual({ V1: ['acme A2'] });
});

it('A complete file removes its supplier’s part of a vehicle that another supplier loads meanwhile', async () => {
  await load('acme', { V1: 'A1', V2: 'A1' });
  const late = await loading('acme', { V2: 'A1' }, ...ALL_MAY_GO);
  const zeta = await loading('zeta', { V1: 'Z1' });
  expect(await raceCommands(late, ['DeleteItem'], zeta)).toMatchObject({ removed: 1, unchanged: 1 });
  expect(await policies()).toEqual({ V1: ['zeta Z1'], V2: ['acme A1'] });
});

it('A vehicle whose policy has ended stays when it is loaded while it is removed', async () => {
  const ended = [aPolicy({ number: 'A1', validFrom: '2020-01-01', validTo: '2020-12-31' })];
  const fields = { policies: ended, lastUpdated: '2020-06-01T00:00:00Z' };
  await run('import', 'vehicles', await file('old.ndjson', policyLine('V1', 'A1', fields)), '--supplier', 'acme');
  const late = ['remove', 'vehicles', '--ended-before', '2021-01-01', '--remove-at-most=1'];
  const early = await loading('acme', { V1: 'A2' });
  expect(await raceCommands(late, ['DeleteItem'], early)).toMatchObject({ removed: 0 });
  expect(await policies()).toEqual({ V1: ['acme A2'] });
});

it('The changes file has a line for each attempt to write a record, and undo takes the last one', async () => {
  await load('acme', { V1: 'A1' });
  const late = await loading('acme', { V1: 'WRONG' });
  await raceCommands(late, ['PutItem'], await loading('acme', { V1: 'A2' }));
  const [, , path = ''] = late;
  const lines = readFileSync(`${path}.changes.ndjson`, 'utf8').trimEnd().split('\n').slice(1);
  const before = lines.map((line) => JSON.parse(line).before.acme.policies[0].number);
  expect(before).toEqual(['A1', 'A2']);
  expect(await run('undo', `${path}.changes.ndjson`, '--although-loaded-since')).toMatchObject({ putBack: 1 });
  expect(await policies()).toEqual({ V1: ['acme A2'] });
});

it.each([
  ['loaded', { changedSince: 1 }],
  ['erased', { erased: 1 }],
])('An undo leaves a vehicle that is %s while it runs', async (what, outcome) => {
  await load('acme', { V1: 'A1' });
  const wrong = await loading('acme', { V1: 'WRONG' });
  await run(...wrong);
  const early = what === 'erased' ? erase : await loading('acme', { V1: 'A3' });
  const undo = ['undo', `${wrong[2]}.changes.ndjson`];
  expect(await raceCommands(undo, ['PutItem'], early)).toMatchObject({ putBack: 0, ...outcome });
  expect(await policies()).toEqual({ V1: what === 'erased' ? [] : ['acme A3'] });
});

it('A load whose response was lost does not write again over an erasure', async () => {
  await load('acme', { V1: 'A1' });
  const late = await loading('acme', { V1: 'A2' });
  // The SDK makes three attempts, and the command repeats them.
  expect(await raceCommands(late, ['PutItem', 4], erase)).toMatchObject({ loaded: 0, erased: 1 });
  expect(await erased()).toEqual([[true], [true]]);
});

it('A key whose plan is changed while it is rotated stays revoked, and knows its successor', async () => {
  const { id } = await run('keys', 'create', '--name', 'Acme', '--plan', 'free');
  const update = ['keys', 'update', String(id), '--plan', 'premium'];
  const rotate = ['keys', 'rotate', String(id), '--overlap-days', '0'];
  await expect(raceCommands(update, ['PutItem'], rotate)).rejects.toThrow(`key ${id} was revoked`);
  const old = (await stored<DynamoItem>('keys')).find((key) => key.id === id);
  expect(old).toMatchObject({ plan: 'free', revokedAt: expect.any(String), successor: expect.any(String) });
});
