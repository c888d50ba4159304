import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { EXIT } from '../../admin/command/command-result.ts';
import { exportedItems } from '../../admin/export-commands.ts';
import { inconsistenciesOf } from '../support/content.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';
import { type ChooseFault, seededNumbers, withProbability } from '../support/fault-choosers.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { itemLine, vehicleRow, vehiclesCsv } from '../support/import-files.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
/** Of one older table: later runs find little left to do, and may end before their kill is due. */
const RUNS_PER_ROUND = 6;
/** Faults until the kill let writes end in another order than they began. */
const FAULT_SHARE = 0.2;
const FAULTS = ['throttle', 'partial', 'errorAfter', { slowMs: 30 }] as const;
/** What a run begins with. A call before it was still sent by the killed run before: it passes. */
const FIRST_OPERATIONS = ['BatchGetItem', 'Scan'];
const ADMIN = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));

/** One record in forty is rejected: what is stored of it stays. */
const isBad = (index: number): boolean => index % 40 === 39;

/**
 * A CSV of vehicles with one to three rows. Of one in thirty all rows but the first are at the end. The `new` one lacks
 * the first tenth.
 */
const vehicles = (count: number, insurer: string): string => {
  const [middle, end]: [string[], string[]] = [[], []];
  for (let index = insurer === 'new' ? count / 10 : 0; index < count; index += 1) {
    for (let nth = 0; nth <= index % 3; nth += 1) {
      const valid_to = insurer === 'new' && isBad(index) && nth === 0 ? '2026-02-30' : '2026-12-31';
      const row = vehicleRow({ registration: `KI${index}`, policy_number: `P-${nth}`, insurer, valid_to });
      (index % 30 === 29 && nth > 0 ? end : middle).push(row);
    }
  }
  return vehiclesCsv(...middle, ...end);
};

/**
 * NDJSON of items: every second one, each with its id; or, as `new`, all of them, where the last one takes the slug of
 * the first.
 */
const content = (count: number, title: string): string => {
  const lines: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const domain = index % 2 === 0 ? 'news.example' : 'help.example';
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const changed = new Map([
      [0, 'moved-on'],
      [count - 1, 'item-0'],
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
    return records.map(({ lastUpdated, revision, ...record }) => JSON.stringify(record)).sort();
  }
  const items = await Array.fromAsync(exportedItems(client, names.content));
  const fields = items.map(({ domain, slug, title, version }) => [domain, slug, title, version].join(' ')).sort();
  return [...fields, ...(await inconsistenciesOf(client, names.content))];
};

/** A kill at the nth database call of a run, before or after the database applies it. */
const killerOf = (child: ChildProcess, fatal: number, isApplied: boolean): ChooseFault => {
  const faults = withProbability(FAULT_SHARE, FAULTS, SEED + fatal);
  let calls = 0;
  return (call) => {
    if (calls > 0 || FIRST_OPERATIONS.includes(call.operation)) calls += 1;
    if (calls === 0) return undefined;
    if (calls < fatal) return faults(call);
    if (calls === fatal) child.kill('SIGKILL');
    return calls === fatal && isApplied ? undefined : 'resetBefore';
  };
};

/** Runs a command on older records with the real command line, begun again after each kill. */
const runCommand = async ({ fileOf, count, latestCall, ...plan }: Plan, kills: number, seed: number) => {
  const [verb = '', kind = '', ...options] = plan.command.split(' ');
  const folder = await mkdtemp(join(tmpdir(), 'killed-import-'));
  const engine = await startEngine();
  const proxy = await startFaultProxy(engine.endpoint);
  const path = join(folder, kind === 'vehicles' ? 'new.csv' : 'new.ndjson');
  const target = ['--dynamodb', proxy.endpoint, '--tables', engine.names.keys.replace(/keys$/, '')];
  const next = seededNumbers(seed);

  const runCli = async (isKilled: boolean, args: readonly string[]) => {
    proxy.reset();
    const child = spawn(process.execPath, [ADMIN, ...args, ...target], { stdio: 'ignore' });
    if (isKilled) proxy.inject(killerOf(child, 1 + Math.floor(next() ** 2 * latestCall), next() < 0.5));
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { exitCode, signal };
  };

  try {
    await writeFile(path, fileOf(count, 'older'));
    await runCli(false, ['import', kind, path]);
    await writeFile(path, fileOf(count, 'new'));
    const runs: Awaited<ReturnType<typeof runCli>>[] = [];
    for (let nth = 0; nth < kills; nth += 1) runs.push(await runCli(true, [verb, kind, path, ...options]));
    const { exitCode } = await runCli(false, [verb, kind, path, ...options]);
    // What a killed run has removed is not there for the next one, which writes a file that says so.
    const names = (await readdir(folder)).filter((name) => !name.includes('.not-there'));
    return {
      kills: runs.filter(({ signal }) => signal === 'SIGKILL').length,
      left: {
        exitCode,
        files: new Set(names.map((name) => name.replace(/-\d+\./, '.'))),
        stored: await storedIn(engine, kind),
      },
    };
  } finally {
    await proxy.close();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};

interface Plan {
  readonly command: string;
  readonly fileOf: (count: number, title: string) => string;
  readonly count: number;
  readonly kills: number;
  /** The latest database call at which a run is killed. */
  readonly latestCall: number;
  readonly exitCode: number;
}

const files = { fileOf: vehicles, count: bySize(300, 1_000), latestCall: bySize(150, 400) };
const { done, incomplete, notDone } = EXIT;

/** Compliance is staged and written as vehicles are. The guard permits 5 %, and the file lacks 10 %. */
const LONG_PLANS: readonly Plan[] = [
  { ...files, command: 'import vehicles', kills: 30, exitCode: incomplete },
  { ...files, command: 'import vehicles --complete', latestCall: 8, kills: 10, exitCode: notDone },
  { ...files, command: 'remove vehicles', kills: 20, exitCode: done },
];
const PLANS: readonly Plan[] = [
  {
    ...files,
    command: 'import vehicles --complete --remove-at-most=10%',
    kills: bySize(3, 40),
    exitCode: incomplete,
  },
  {
    command: 'import content',
    fileOf: content,
    count: bySize(101, 1_001),
    kills: bySize(2, 10),
    latestCall: 100,
    exitCode: incomplete,
  },
  ...bySize([], LONG_PLANS),
];

/** Until it is killed, a fifth of a run's database calls are throttled, partial, lost or slow. */
it.each(PLANS)(
  '$command, begun and killed $kills times, leaves what a run without kills leaves',
  async (plan) => {
    const undisturbed = await runCommand(plan, 0, SEED);
    expect(undisturbed.left.exitCode).toBe(plan.exitCode);
    let kills = 0;
    for (let round = 0; kills < plan.kills; round += 1) {
      const killed = await runCommand(plan, Math.min(RUNS_PER_ROUND, plan.kills - kills), SEED + round);
      expect(killed.kills).toBeGreaterThan(0);
      expect(killed.left).toEqual(undisturbed.left);
      kills += killed.kills;
    }
    reportFigures(`killed runs of ${plan.command}`, { records: plan.count, kills });
  },
  TIMEOUT_MS,
);
