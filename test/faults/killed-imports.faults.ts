import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXIT } from '../../lib/admin/command/command-result.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import { itemLine, vehicleRow, vehiclesCsv } from '../admin/import-files.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { type ChooseFault, seededNumbers, withProbability } from '../support/fault-choosers.ts';
import { type RecordedCall, startFaultProxy } from '../support/fault-proxy.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
/** Faults until the kill let batches end in another order than they began, so that gaps are left before stored rows. */
const FAULT_SHARE = 0.2;
const FAULTS = ['throttle', 'partial', { slowMs: 150 }] as const;
/**
 * Records that one kill may cause to be written again: those of the 500 rows since the position was saved, and of the 17
 * batches of 25 that were not confirmed then, of which one was not sent yet.
 */
const MAX_WRITTEN_AGAIN = 500 + 17 * 25;
/** The first request of a run. A call before it was still sent by the killed run before: it passes. */
const FIRST_OPERATION = 'DescribeTable';
const ADMIN = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));

/** One record in forty is rejected: what is stored of it stays. */
const isBad = (index: number): boolean => index % 40 === 39;

/** A CSV of vehicles with one to three rows. Of one in thirty all rows but the first are at the end. */
const vehicles = (count: number, insurer: string): string => {
  const [middle, end]: [string[], string[]] = [[], []];
  for (let index = 0; index < count; index += 1) {
    for (let nth = 0; nth <= index % 3; nth += 1) {
      const valid_to = insurer === 'new' && isBad(index) && nth === 0 ? '2026-02-30' : '2026-12-31';
      const row = vehicleRow({ registration: `KI${index}`, policy_number: `P-${nth}`, insurer, valid_to });
      (index % 30 === 29 && nth > 0 ? end : middle).push(row);
    }
  }
  return vehiclesCsv(...middle, ...end);
};

/** NDJSON of items: every second one, each with its id; or, as `new`, all of them, of which the first wants the slug of the last. */
const content = (count: number, title: string): string => {
  const lines: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const domain = index % 2 === 0 ? 'news.example' : 'help.example';
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const changed = new Map([
      [0, `item-${count - 1}`],
      [count - 1, 'moved-on'],
    ]).get(index);
    const slug = changed ?? (isBad(index) ? 'Bad Slug' : `item-${index}`);
    if (title === 'new') lines.push(itemLine(slug, { title, domain, ...(index % 4 === 0 && { id }) }));
    else if (index % 2 === 0) lines.push(itemLine(`item-${index}`, { title, domain, id }));
  }
  return lines.join('\n');
};

/** What is stored, without the time and the random ids of an import. */
const storedIn = async ({ client, names }: TestEngine, kind: string): Promise<unknown> => {
  if (kind === 'vehicles') {
    const pages = await Array.fromAsync(paginateScan({ client }, { TableName: names.vehicles, ConsistentRead: true }));
    const records = pages.flatMap(({ Items = [] }) => Items);
    return records.map(({ lastUpdated, ...record }) => JSON.stringify(record)).sort();
  }
  const items = await Array.fromAsync(contentExport(client, names.content).items());
  const { inconsistencies } = await checkContent(client, names.content);
  return [...items.map(({ domain, slug, title, version }) => [domain, slug, title, version]), ...inconsistencies];
};

/** A kill at the nth database call of a run, before or after the database applies it. */
const killerOf = (child: ChildProcess, fatal: number, isApplied: boolean): ChooseFault => {
  const faults = withProbability(FAULT_SHARE, FAULTS, SEED + fatal);
  let calls = 0;
  return (call) => {
    if (calls > 0 || call.operation === FIRST_OPERATION) calls += 1;
    if (calls === 0) return undefined;
    if (calls < fatal) return faults(call);
    if (calls === fatal) child.kill('SIGKILL');
    return calls === fatal && isApplied ? undefined : 'resetBefore';
  };
};

/** Registrations of the records, or slugs of the items, that a database call stores; of a partial batch the first half. */
const recordsWritten = ({ operation, body, fault }: RecordedCall): string[] => {
  const isApplied = fault === undefined || fault === 'partial' || typeof fault === 'object';
  if (!isApplied || !['BatchWriteItem', 'TransactWriteItems'].includes(operation)) return [];
  const names = [...body.matchAll(/"(?:registration|slug)":\{"S":"([^"]+)"\}/g)].map(([, name]) => name ?? '');
  return fault === 'partial' ? names.slice(0, Math.ceil(names.length / 2)) : names;
};

/** Imports a file over older records with the real command line, killed so often and then continued to its end. */
const runImport = async (kind: string, older: string, newer: string, kills: number, latestCall: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'killed-import-'));
  const engine = await startEngine();
  const proxy = await startFaultProxy(engine.endpoint);
  const path = join(folder, kind === 'vehicles' ? 'new.csv' : 'new.ndjson');
  const target = ['--dynamodb', proxy.endpoint, '--tables', engine.names.keys.replace(/keys$/, '')];
  const written = new Set<string>();
  const next = seededNumbers(SEED);

  const runCli = async (isKilled: boolean) => {
    proxy.reset();
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(process.execPath, [ADMIN, 'import', kind, path, ...target], { stdio: [...stdio] });
    if (isKilled) proxy.inject(killerOf(child, 1 + Math.floor(next() * latestCall), next() < 0.5));
    const [stderr, [exitCode, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const first = proxy.calls.findIndex((call) => call.operation === FIRST_OPERATION);
    const names = proxy.calls.slice(first).flatMap(recordsWritten);
    const writtenAgain = names.filter((name) => written.has(name)).length;
    for (const name of names) written.add(name);
    return { isContinued: stderr.includes('continues where it was stopped'), exitCode, signal, writtenAgain };
  };

  try {
    await writeFile(path, older);
    await runCli(false);
    written.clear();
    await writeFile(path, newer);
    const runs: Awaited<ReturnType<typeof runCli>>[] = [];
    // A run may also end because of the faults before its kill, or before its kill is due.
    const isAtEnd = () => runs.at(-1)?.signal === null && runs.at(-1)?.exitCode !== EXIT.notDone;
    while (!isAtEnd()) runs.push(await runCli(runs.filter(({ signal }) => signal === 'SIGKILL').length < kills));
    const left = {
      exitCode: runs.at(-1)?.exitCode,
      files: (await readdir(folder)).sort(),
      rejected: await readFile(`${path}.rejected${extname(path)}`, 'utf8'),
      stored: await storedIn(engine, kind),
    };
    return { runs, left };
  } finally {
    await proxy.close();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};

/** The records of each file, how often it is killed, and the latest database call at which it is. Compliance is staged and written as vehicles are. */
const PLANS = [
  {
    kind: 'vehicles',
    fileOf: vehicles,
    count: bySize(1_500, 10_000),
    kills: bySize(3, 10),
    latestCall: bySize(40, 25),
  },
  { kind: 'content', fileOf: content, count: bySize(1_101, 3_001), kills: bySize(2, 6), latestCall: 300 },
];

/** Until it is killed, a fifth of a run's database calls are throttled, partial or slow. */
describe.each(PLANS)('An import of $kind that is killed $kills times', ({ kind, fileOf, count, kills, latestCall }) => {
  let undisturbed: Awaited<ReturnType<typeof runImport>>;
  let killed: typeof undisturbed;

  beforeAll(async () => {
    const older = fileOf(count, 'older');
    const newer = fileOf(count, 'new');
    undisturbed = await runImport(kind, older, newer, 0, latestCall);
    killed = await runImport(kind, older, newer, kills, latestCall);
    const mostWrittenAgain = Math.max(...killed.runs.map(({ writtenAgain }) => writtenAgain));
    reportFigures(`killed imports of ${kind}`, { rows: newer.split('\n').length, kills, mostWrittenAgain });
  }, TIMEOUT_MS);

  it('continues, and leaves the records, rejected rows, files and exit code of an import without kills', () => {
    expect(killed.runs.filter(({ signal }) => signal === 'SIGKILL')).toHaveLength(kills);
    expect(killed.runs.at(-1)).toMatchObject({ isContinued: true, exitCode: EXIT.incomplete });
    expect(undisturbed.left.files).toHaveLength(2);
    expect(killed.left).toEqual(undisturbed.left);
  });

  it(`writes at most ${MAX_WRITTEN_AGAIN} records again per kill, however long the file is`, () => {
    const continued = killed.runs.filter(({ isContinued }) => isContinued);
    expect(Math.max(...continued.map(({ writtenAgain }) => writtenAgain))).toBeLessThanOrEqual(MAX_WRITTEN_AGAIN);
  });
});
