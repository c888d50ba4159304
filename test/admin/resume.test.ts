import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, symlink, utimes } from 'node:fs/promises';
import { DeleteTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { contentTable } from '../../functions/content/content-table.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { commandLine, runCommand } from './command-line.ts';
import { vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { run, file, engine } = commandLine();

let proxy: FaultProxy;
beforeAll(async () => {
  proxy = await startFaultProxy(engine().endpoint);
});
afterEach(() => proxy.reset());
afterAll(() => proxy.close());

/** Calls `stop` when a write of this kind comes for the nth time. */
const atWrite = (nth: number, operation: string, stop: () => void): void => {
  let writes = 0;
  proxy.inject((call) => {
    if (call.operation === operation) writes += 1;
    if (writes === nth) stop();
    return undefined;
  });
};

const interruptedRun = (args: readonly string[], nth: number, operation: string) => {
  const interruption = new AbortController();
  atWrite(nth, operation, () => interruption.abort());
  return runCommand([...args, '--dynamodb', proxy.endpoint], engine().names, { signal: interruption.signal });
};

const killedRun = async (args: readonly string[], nth: number, operation: string): Promise<NodeJS.Signals | null> => {
  const tables = ['--tables', engine().names.keys.replace(/keys$/, '')];
  const child = spawn(process.execPath, ['bin/admin.ts', ...args, '--dynamodb', proxy.endpoint, ...tables]);
  atWrite(nth, operation, () => child.kill('SIGKILL'));
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal;
};

const journalOf = async (path: string): Promise<object> =>
  JSON.parse(await readFile(`${path}.import.json`, 'utf8')) as object;

const POLICIES = 3;
/** Over 128 kB, what is read at a time: an interrupted import stops in the middle, within a vehicle. */
const VEHICLES = 1_000;

const policyRows = (registration: string): string[] =>
  Array.from({ length: POLICIES }, (_, index) => vehicleRow({ registration, policy_number: `P-${index}` }));

const manyVehicles = (prefix: string, ...more: string[]): string =>
  vehiclesCsv(...Array.from({ length: VEHICLES }, (_, index) => policyRows(`${prefix}${index}`)).flat(), ...more);

const policyCounts = async (prefix: string): Promise<number[]> => {
  const { Items = [] } = await engine().client.send(new ScanCommand({ TableName: engine().names.vehicles }));
  return Items.filter(({ registration }) => registration?.S?.startsWith(prefix)).map(
    ({ policies }) => policies?.L?.length ?? 0,
  );
};

const writtenItems = (): number =>
  proxy.calls
    .filter(({ operation }) => operation === 'BatchWriteItem')
    .map(({ body }) => Object.values((JSON.parse(body) as { RequestItems: Record<string, []> }).RequestItems))
    .reduce((sum, requests) => sum + requests.flat().length, 0);

describe('An import of vehicles that Ctrl-C stopped', () => {
  it('has no vehicle half, and goes on without writing any again', async () => {
    const path = await file('v.csv', manyVehicles('CTRL'));
    const stopped = await interruptedRun(['import', 'vehicles', path], 3, 'BatchWriteItem');
    expect(stopped).toMatchObject({ exitCode: 130, stderr: expect.stringMatching(/--resume goes on/) });
    const before = await policyCounts('CTRL');
    expect(new Set(before)).toEqual(new Set([POLICIES]));
    expect(before.length).toBeLessThan(VEHICLES);
    expect(await journalOf(path)).toMatchObject({ point: { line: expect.any(Number), open: [] } });

    const resumed = await runCommand(
      ['import', 'vehicles', path, '--resume', '--dynamodb', proxy.endpoint],
      engine().names,
    );
    expect(resumed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/rows skipped/) });
    expect(await policyCounts('CTRL')).toEqual(Array.from({ length: VEHICLES }, () => POLICIES));
    expect(writtenItems()).toBe(VEHICLES);
    expect(existsSync(`${path}.import.json`)).toBe(false);
  });
});

describe('An import of vehicles that was killed', () => {
  it('goes on with a share of the writes, and refuses the same rows in the same order', async () => {
    const bad = [vehicleRow({ registration: '?' }), vehicleRow({ registration: 'KILL7' }), vehicleRow({ year: 'x' })];
    const csv = manyVehicles('KILL', ...bad).replace('\n', `\n${vehicleRow({ registration: '' })}\n`);
    const path = await file('v.csv', csv);
    expect(await killedRun(['import', 'vehicles', path], 30, 'BatchWriteItem')).toBe('SIGKILL');
    proxy.reset();
    const args = ['import', 'vehicles', path, '--resume', '--dynamodb', proxy.endpoint];
    expect(await runCommand(args, engine().names)).toMatchObject({ exitCode: 1 });
    expect(writtenItems()).toBeLessThan(VEHICLES * 0.6);
    expect(await policyCounts('KILL')).toEqual(Array.from({ length: VEHICLES }, () => POLICIES));
    const refused = await readFile(`${path}.rejected.ndjson`, 'utf8');
    expect(refused.trim().split('\n')).toHaveLength(4);
    await run(['import', 'vehicles', path]);
    expect(await readFile(`${path}.rejected.ndjson`, 'utf8')).toBe(refused);
  });
});

describe('An import of content that was stopped', () => {
  const item = (slug: string, fields: object = {}) =>
    JSON.stringify({ title: 'T', content: 'x'.repeat(2_000), domain: 'stopped.example', slug, ...fields });
  const ids = ['11111111-2222-4333-8444-555555555551', '11111111-2222-4333-8444-555555555552'] as const;

  it('tries again what waits for a slug, creates nothing twice and raises no version twice', async () => {
    const [waiting, holder] = ids;
    const owners = [item('mine', { id: waiting }), item('wanted', { id: holder })];
    await run(['import', 'content', await file('owners.ndjson', owners.join('\n'))]);
    const others = Array.from({ length: 150 }, (_, index) => item(`s${index}`));
    const rows = [item('wanted', { id: waiting }), ...others, item('elsewhere', { id: holder })];
    const path = await file('c.ndjson', rows.join('\n'));
    const stopped = await interruptedRun(['import', 'content', path], 2, 'TransactWriteItems');
    expect(stopped.exitCode).toBe(130);
    expect(await journalOf(path)).toMatchObject({ point: { open: [1] } });
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(false);

    expect(await run(['import', 'content', path, '--resume'])).toMatchObject({ exitCode: 0, stderr: '' });
    const table = contentTable(engine().client, engine().names.content);
    const page = { offset: 0, limit: 200 };
    const { items, total } = await table.list({ domain: 'stopped.example' }, page, deadlineIn(5_000));
    expect([total, new Set(items.map(({ id }) => id)).size]).toEqual([152, 152]);
    const changed = items.filter(({ version }) => version !== 1);
    expect(changed.map(({ id, slug, version }) => [id, slug, version]).toSorted()).toEqual([
      [waiting, 'wanted', 2],
      [holder, 'elsewhere', 2],
    ]);
  });
});

describe('What cannot be resumed', () => {
  /** An import that was stopped in the middle. */
  const stoppedImport = async (): Promise<string> => {
    const path = await file('v.csv', manyVehicles('STOP'));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    return path;
  };
  const refusedFor = (sentence: RegExp) => ({ exitCode: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  const resume = (path: string, kind = 'vehicles') => run(['import', kind, path, '--resume']);

  it('is what was never stopped', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    expect(await resume(path)).toMatchObject(refusedFor(/nothing to resume: no import of .*v\.csv was stopped/));
    await run(['import', 'vehicles', path]);
    expect(await resume(path)).toMatchObject(refusedFor(/nothing to resume/));
  });

  it('is a file that has changed, in its content or only in its age', async () => {
    const path = await stoppedImport();
    await utimes(path, new Date(0), new Date(0));
    expect(await resume(path)).toMatchObject(refusedFor(/the file has changed/));
    await file('v.csv', manyVehicles('NEW'));
    expect(await resume(path)).toMatchObject(refusedFor(/the file has changed/));
  });

  it('is another kind of data', async () => {
    expect(await resume(await stoppedImport(), 'compliance')).toMatchObject(
      refusedFor(/of vehicles, not of compliance/),
    );
  });

  it('is a table of another name, or one made anew', async () => {
    const path = await stoppedImport();
    const { names, client } = engine();
    const other = { ...names, vehicles: names.compliance };
    const args = ['import', 'vehicles', path, '--resume', '--dynamodb', engine().endpoint];
    expect(await runCommand(args, other)).toMatchObject(refusedFor(/into another table/));
    await client.send(new DeleteTableCommand({ TableName: names.vehicles }));
    await createTables(client, names, { expire: false });
    expect(await resume(path)).toMatchObject(refusedFor(/the table was made anew/));
  });

  it('is a journal that is none of ours', async () => {
    const path = await stoppedImport();
    for (const text of ['{"point":', '{"point":{"line":0}}']) {
      await file('v.csv.import.json', text);
      expect(await resume(path)).toMatchObject(refusedFor(/v\.csv\.import\.json is damaged/));
    }
  });
});

describe('Without --resume', () => {
  it('a stopped import is loaded from the beginning, which is said', async () => {
    const path = await file('v.csv', manyVehicles('ANEW'));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    const again = await run(['import', 'vehicles', path]);
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.not.stringMatching(/skipped/) });
    expect(again.stderr).toMatch(/^Loading all of it again; --resume would have gone on at line \d+\.\n$/);
    expect(await policyCounts('ANEW')).toHaveLength(VEHICLES);
  });

  it('an import runs even where its journal cannot be kept, which is said once', async () => {
    const path = await file('v.csv', manyVehicles('FULL'));
    await symlink('/no/such/folder/journal', `${path}.import.json.part`);
    const { exitCode, stderr } = await run(['import', 'vehicles', path]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^The progress cannot be kept in .*\(ENOENT\): no --resume should this import stop\.\n$/);
  });
});
