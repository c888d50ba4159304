import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { DeleteCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { AdminContext } from '../../admin/command/context.ts';
import { runAdmin } from '../../admin/program.ts';
import { prefixedTableNames, type TableId } from '../../core/tables.ts';
import type { VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import { createTables } from '../../local/engine/create-tables.ts';
import { storeItems } from '../../local/sample-database.ts';
import type { TestEngine } from './engine.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { PLANS_VARIABLE } from './records.ts';
import { useEngine } from './use-engine.ts';
import { useFolder } from './use-folder.ts';

/** The moment at which every command of these tests runs. */
export const NOW = new Date('2026-11-21T12:00:30.000Z');

/** The process around a command, where it matters to a test. */
export interface CommandOptions
  extends Partial<Pick<AdminContext, 'showsProgress' | 'env' | 'stagesFolder' | 'folder' | 'signal' | 'ask'>> {
  readonly now?: Date;
}

/** Runs the whole program with captured output. */
export const runAdminCommand = async (
  args: readonly string[],
  tableNames: TestEngine['names'],
  { now = NOW, showsProgress = false, ...options }: CommandOptions = {},
) => {
  const streams = { stdout: new PassThrough(), stderr: Object.assign(new PassThrough(), { isTTY: showsProgress }) };
  const written = Promise.all([text(streams.stdout), text(streams.stderr)]);
  const usual = { env: PLANS_VARIABLE, stagesFolder: 'none', folder: 'none', signal: new AbortController().signal };
  const context = { ...usual, ...options, ...streams, showsProgress, now: () => now, tableNames };
  const exitCode = await runAdmin(args, context);
  for (const stream of Object.values(streams)) stream.end();
  const [stdout, stderr] = await written;
  return { exitCode, stdout, stderr };
};

export type AdminOutput = Awaited<ReturnType<typeof runAdminCommand>>;

/** The result of a failed command: exit code 2, a sentence, and nothing on standard output. */
export const failure = (sentence: RegExp | string) => ({
  exitCode: 2,
  stdout: '',
  stderr: typeof sentence === 'string' ? expect.stringContaining(sentence) : expect.stringMatching(sentence),
});

/** The files of rejected rows of a file, the latest last. */
export const rejectedFilesOf = (path: string): string[] =>
  globSync(`${path}.rejected*.{csv,ndjson}`).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));

/** What a run that was stopped says. */
export const BEGINS_AGAIN = 'the same command begins again and finds what is written already';

/** An engine behind a fault proxy for the tests of a file, a folder for each test, and the CLI on them. */
export const useAdmin = () => {
  const engine = useEngine();
  let proxy: FaultProxy;
  const pathOf = useFolder('of each test');
  beforeAll(async () => {
    proxy = await startFaultProxy(engine.endpoint);
  });
  afterEach(() => proxy.reset());
  afterAll(() => proxy.close());

  const file = async (name: string, content: string | Buffer): Promise<string> => {
    await writeFile(pathOf(name), content);
    return pathOf(name);
  };
  const run = (args: readonly string[], options?: CommandOptions) =>
    runAdminCommand([...args, '--dynamodb', engine.endpoint], engine.names, { folder: pathOf(), ...options });

  let others = 0;
  /** New tables, and the commands on them. */
  const otherTables = async () => {
    others += 1;
    const names = prefixedTableNames(`${engine.names.keys}-${others}-`);
    await createTables(engine.client, names);
    const there = ['--dynamodb', engine.endpoint];
    return { names, run: (...args: readonly string[]) => runAdminCommand([...args, ...there], names) };
  };

  /** Through the proxy, which counts the database calls. */
  const countedRun = (args: readonly string[], options?: CommandOptions): Promise<AdminOutput> =>
    runAdminCommand([...args, '--dynamodb', proxy.endpoint], engine.names, { folder: pathOf(), ...options });

  /** Calls `act` once, when a call of this kind comes for the nth time. */
  const atCall = (nth: number, operation: string, act: () => void): void => {
    let calls = 0;
    proxy.inject((call) => {
      if (call.operation !== operation) return undefined;
      calls += 1;
      if (calls === nth) act();
      return undefined;
    });
  };

  /** Stopped by Ctrl-C when a call of this kind comes for the nth time. */
  const interruptedRun = (args: readonly string[], nth: number, operation: string): Promise<AdminOutput> => {
    const interruption = new AbortController();
    atCall(nth, operation, () => interruption.abort());
    return countedRun(args, { signal: interruption.signal });
  };

  /** Requests for writes of records that came to the database since the last reset, without that of a finished load. */
  const writes = () =>
    proxy.calls
      .filter(({ tables }) => !tables.includes(engine.names.usage))
      .filter(({ operation }) => /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation));

  /** Stores items as they are, such as damaged ones. */
  const store = (table: TableId, ...items: readonly object[]): Promise<void> =>
    storeItems(engine.client, engine.names[table], items);

  /** Every record of a table, by registration. */
  const stored = async <Stored = VehicleRecord>(table: TableId = 'vehicles'): Promise<Stored[]> => {
    const input = { TableName: engine.names[table], ConsistentRead: true };
    const pages = await Array.fromAsync(paginateScan({ client: engine.client }, input));
    const items = pages.flatMap(({ Items = [] }) => Items);
    return items.toSorted((a, b) => (String(a.registration) < String(b.registration) ? -1 : 1)) as Stored[];
  };

  const registrations = async (table: 'vehicles' | 'compliance' = 'vehicles'): Promise<string[]> =>
    (await stored(table)).map(({ registration }) => registration);

  return {
    engine: () => engine,
    proxy: () => proxy,
    pathOf,
    file,
    run,
    otherTables,
    countedRun,
    interruptedRun,
    atCall,
    writes,

    /** The one JSON document that a command writes with `--json`, on a line of its own and without messages. */
    json: async <Shown>(args: readonly string[], options?: CommandOptions): Promise<Shown> => {
      const { stdout, stderr } = await run([...args, '--json'], options);
      expect({ lines: stdout.split('\n').length, stderr }).toEqual({ lines: 2, stderr: '' });
      return JSON.parse(stdout);
    },

    /** Arguments of Node for the CLI as a process of its own, through the proxy. */
    processArguments: (...args: readonly string[]): string[] => {
      const target = ['--dynamodb', proxy.endpoint, '--tables', engine.names.keys.replace(/keys$/, '')];
      return ['--disable-warning=ExperimentalWarning', 'bin/admin.ts', ...args, ...target];
    },

    load: async (kind: string, name: string, content: string | Buffer, ...options: string[]) => {
      const path = await file(name, content);
      return { ...(await run(['import', kind, path, ...options])), path };
    },

    store,
    stored,
    registrations,

    /** Empties the tables of vehicles and compliance, of erasures too. */
    clear: async (): Promise<void> => {
      for (const table of ['vehicles', 'compliance'] as const) {
        for (const registration of await registrations(table)) {
          await engine.client.send(new DeleteCommand({ TableName: engine.names[table], Key: { registration } }));
        }
      }
    },

    findVehicle: async (registration: string) =>
      (await stored<VehicleRecord & { readonly revision?: string }>()).find((one) => one.registration === registration),

    /** What is in the latest file of rejected rows; nothing without one. */
    rejectedLines: async (path: string): Promise<{ line: number; reasons: readonly string[]; row: unknown }[]> => {
      const [latest] = rejectedFilesOf(path).toReversed();
      if (latest === undefined) return [];
      const content = await readFile(latest, 'utf8');
      if (latest.endsWith('.ndjson')) {
        return content.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
      }
      const delimiter = /^\ufeff(?:sep=(.)\r\n)?line(.)/.exec(content)?.slice(1).find(Boolean) ?? ',';
      const rows: string[][] = parse(content, { bom: true, delimiter, relax_column_count: true });
      return rows.slice(rows.findIndex(([first]) => first === 'line') + 1).map(([line, reasons = '', ...cells]) => ({
        line: Number(line),
        reasons: reasons.split(' | '),
        row: cells.join(delimiter),
      }));
    },
  };
};
