import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../../../lib/admin/command/outcome.ts';
import { startEngine, type TestEngine } from '../../support/engine.ts';
import { type ChooseFault, withProbability } from '../../support/fault-choosers.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import type { ImportErrors, ImportFixture } from './fixture.ts';
import { recordsWritten } from './written-records.ts';

/** When a run is killed. */
export interface Kill {
  /** At its nth database call. */
  readonly call: number;
  /** Whether that call still reaches the database. */
  readonly applied: boolean;
  /** Of the trouble that the database makes meanwhile. */
  readonly seed: number;
}

/** One run of the CLI: to its end, or to its kill. */
export interface CliRun {
  readonly resumed: boolean;
  /** The line of the file on which it set out; 1 when it was not resumed. */
  readonly startLine: number;
  readonly killed: boolean;
  /** The CLI's own, when it was not killed. */
  readonly exitCode: number | null;
  /** Records that earlier runs of the course had written. */
  readonly stored: number;
  /** Records that it wrote, and how many of those had been written before. */
  readonly written: number;
  readonly writtenAgain: number;
}

/** An import from its first run to its end, however often it was killed. */
export interface ImportOutcome {
  readonly fixture: ImportFixture;
  readonly runs: readonly CliRun[];
  readonly errors: ImportErrors;
  /** The file of refused rows. */
  readonly rejected: string;
  /** Whether nothing is left that could be resumed. */
  readonly isClosed: boolean;
}

/**
 * Of the database's calls so many are throttled, done in part or slow, so that batches end in another order than they began:
 * a kill then finds earlier ones unstored beside later ones that are stored.
 */
const TROUBLED_SHARE = 0.2;
const TROUBLES = ['throttle', 'partial', { slowMs: 150 }] as const;

/** What a run asks first. A call that comes before it is one that the killed run before had still sent: it is let through. */
const FIRST_OPERATION = 'DescribeTable';

const ADMIN = fileURLToPath(new URL('../../../bin/admin.ts', import.meta.url));

interface Place {
  readonly engine: TestEngine;
  readonly proxy: FaultProxy;
  readonly path: string;
}

const killerOf = (child: ChildProcess, { call: fatal, applied, seed }: Kill): ChooseFault => {
  const trouble = withProbability(TROUBLED_SHARE, TROUBLES, seed);
  let calls = 0;
  return (call) => {
    if (calls > 0 || call.operation === FIRST_OPERATION) calls += 1;
    if (calls === 0) return undefined;
    if (calls < fatal) return trouble(call);
    if (calls === fatal) child.kill('SIGKILL');
    return calls === fatal && applied ? undefined : 'resetBefore';
  };
};

const lineOf = async (journal: string): Promise<number> =>
  (JSON.parse(await readFile(journal, 'utf8')) as { point: { line: number } }).point.line;

const runCli = async (
  { engine, proxy, path }: Place,
  { kind }: ImportFixture,
  kill: Kill | undefined,
  written: Set<string>,
): Promise<CliRun> => {
  // As an operator would: there is something to resume once the first row was reached.
  const resumed = existsSync(`${path}.import.json`);
  const startLine = resumed ? await lineOf(`${path}.import.json`) : 1;
  const prefix = engine.names.keys.replace(/keys$/, '');
  const where = ['--dynamodb', proxy.endpoint, '--tables', prefix];
  const args = [ADMIN, 'import', kind, path, ...(resumed ? ['--resume'] : []), ...where];
  proxy.reset();
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  if (kill) proxy.inject(killerOf(child, kill));
  const [exitCode, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  const first = proxy.calls.findIndex(({ operation }) => operation === FIRST_OPERATION);
  const names = proxy.calls.slice(first).flatMap(recordsWritten);
  const stored = written.size;
  const again = names.filter((name) => written.has(name)).length;
  for (const name of names) written.add(name);
  return {
    resumed,
    startLine,
    killed: signal === 'SIGKILL',
    exitCode,
    stored,
    written: names.length,
    writtenAgain: again,
  };
};

/** Whether the file came to its end: a run that is not killed may be ended by the trouble that the database makes. */
const isAtEnd = ({ killed, exitCode }: CliRun): boolean => !killed && exitCode !== EXIT.notDone;

/** Imports the fixture into an engine that holds older records of it, killed as often as there are kills, then to its end. */
export const runImport = async (fixture: ImportFixture, kills: readonly Kill[]): Promise<ImportOutcome> => {
  const folder = await mkdtemp(join(tmpdir(), 'killed-import-'));
  const engine = await startEngine();
  const proxy = await startFaultProxy(engine.endpoint);
  const path = join(folder, fixture.fileName);
  const written = new Set<string>();
  const runs: CliRun[] = [];
  try {
    await writeFile(path, fixture.text);
    await fixture.storeOlder(engine);
    for (const kill of kills) {
      const run = await runCli({ engine, proxy, path }, fixture, kill, written);
      runs.push(run);
      if (isAtEnd(run)) break;
    }
    if (!runs.some(isAtEnd)) runs.push(await runCli({ engine, proxy, path }, fixture, undefined, written));
    return {
      fixture,
      runs,
      errors: await fixture.errorsIn(engine),
      rejected: await readFile(`${path}.rejected.ndjson`, 'utf8'),
      isClosed: !existsSync(`${path}.import.json`),
    };
  } finally {
    await proxy.close();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};
