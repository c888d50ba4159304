import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { EXIT } from '../../../lib/admin/command/outcome.ts';
import { startEngine } from '../../support/engine.ts';
import { type ChooseFault, withProbability } from '../../support/fault-choosers.ts';
import { type RecordedCall, startFaultProxy } from '../../support/fault-proxy.ts';
import type { ImportFixture } from './fixtures.ts';

/** A kill at the nth database call of a run, before or after the database applies it. */
export interface Kill {
  readonly call: number;
  readonly applied: boolean;
  /** Of the faults until then. */
  readonly seed: number;
}

export type ImportOutcome = Awaited<ReturnType<typeof runImport>>;

/** Faults until the kill let batches end in another order than they began, so that gaps are left before stored rows. */
const FAULT_SHARE = 0.2;
const FAULTS = ['throttle', 'partial', { slowMs: 150 }] as const;

/** The first request of a run. A call before it was still sent by the killed run before: it passes. */
const FIRST_OPERATION = 'DescribeTable';

const ADMIN = fileURLToPath(new URL('../../../bin/admin.ts', import.meta.url));

const killerOf = (child: ChildProcess, { call: fatal, applied, seed }: Kill): ChooseFault => {
  const faults = withProbability(FAULT_SHARE, FAULTS, seed);
  let calls = 0;
  return (call) => {
    if (calls > 0 || call.operation === FIRST_OPERATION) calls += 1;
    if (calls === 0) return undefined;
    if (calls < fatal) return faults(call);
    if (calls === fatal) child.kill('SIGKILL');
    return calls === fatal && applied ? undefined : 'resetBefore';
  };
};

type Item = Record<string, AttributeValue>;

interface Body {
  readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest?: { readonly Item: Item } }[]>>;
  readonly TransactItems?: readonly { readonly Put?: { readonly Item: Item } }[];
}

/** Names of the records that a database call stores: registrations, or domain and slug of items. */
const recordsWritten = ({ operation, body, fault }: RecordedCall): string[] => {
  const isApplied = fault === undefined || fault === 'partial' || typeof fault === 'object';
  if (!isApplied || !['BatchWriteItem', 'TransactWriteItems'].includes(operation)) return [];
  const { RequestItems = {}, TransactItems = [] } = JSON.parse(body) as Body;
  const batch = Object.values(RequestItems).flatMap((requests) =>
    requests.flatMap(({ PutRequest }) => PutRequest ?? []),
  );
  // The proxy applies the first half of a partial batch; transactions are never partial.
  const applied = fault === 'partial' ? batch.slice(0, Math.ceil(batch.length / 2)) : batch;
  const items = TransactItems.flatMap(({ Put }) => (Put?.Item.sk?.S === 'item' ? [Put.Item] : []));
  return [
    ...applied.map(({ Item }) => Item.registration?.S ?? ''),
    ...items.map(({ domain, slug }) => `${domain?.S} ${slug?.S}`),
  ];
};

/** Imports the file over older records, killed as often as there are kills and then continued to its end. */
export const runImport = async (fixture: ImportFixture, kills: readonly Kill[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'killed-import-'));
  const engine = await startEngine();
  const proxy = await startFaultProxy(engine.endpoint);
  const path = join(folder, fixture.fileName);
  const written = new Set<string>();

  const runCli = async (kill?: Kill) => {
    const target = ['--dynamodb', proxy.endpoint, '--tables', engine.names.keys.replace(/keys$/, '')];
    const args = [ADMIN, 'import', fixture.kind, path, ...target];
    proxy.reset();
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    if (kill) proxy.inject(killerOf(child, kill));
    const [stderr, [exitCode, signal]] = await Promise.all([
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    ]);
    const first = proxy.calls.findIndex(({ operation }) => operation === FIRST_OPERATION);
    const names = proxy.calls.slice(first).flatMap(recordsWritten);
    const writtenBefore = written.size;
    const writtenAgain = names.filter((name) => written.has(name)).length;
    for (const name of names) written.add(name);
    return {
      isContinued: stderr.includes('continues where it was stopped'),
      isKilled: signal === 'SIGKILL',
      exitCode,
      // A run may also end because of the faults before its kill.
      isAtEnd: signal === null && exitCode !== EXIT.notDone,
      writtenBefore,
      writtenAgain,
    };
  };

  try {
    await writeFile(path, fixture.text);
    await fixture.storeOlder(engine);
    const runs: Awaited<ReturnType<typeof runCli>>[] = [];
    for (const kill of [...kills, undefined]) if (!runs.at(-1)?.isAtEnd) runs.push(await runCli(kill));
    return {
      runs,
      differences: await fixture.differences(engine),
      rejected: await readFile(`${path}.rejected${extname(path)}`, 'utf8'),
      filesLeft: await readdir(folder),
    };
  } finally {
    await proxy.close();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};
