import { spawn } from 'node:child_process';
import { stat, utimes } from 'node:fs/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { stopListener } from '../../../bin/stop-signals.ts';
import { writeBatches } from '../../../lib/admin/file-command/record-writer.ts';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import { forOperation } from '../../support/fault-choosers.ts';
import {
  CAN_CONTINUE,
  CONTINUES,
  commandLine,
  ended,
  failure,
  interruptionAfter,
  runAdminCommand,
  stagingFilesOf,
} from '../command-line.ts';
import { complianceLine, manyVehicles, vehicleRow, vehiclesCsv } from '../import-files.ts';

const { run, file, engine, atCall, countedRun, interruptedRun, processArguments, proxy, ...line } = commandLine();
const { stoppedImport, rejectedLines, stored, writtenItems } = line;

const importing = (path: string, kind = 'vehicles') => ['import', kind, path];

/** Lets the database deny writes from the nth batch on. */
const denyFrom = (batch: number): void => {
  let writes = 0;
  const choose = () => {
    writes += 1;
    return writes < batch ? undefined : ('deny' as const);
  };
  proxy().inject(forOperation('BatchWriteItem', choose));
};

describe('A continued import', () => {
  it('has no vehicle half, writes each once and reports rows again that were rejected before, even when it was stopped twice', async () => {
    const bad = vehicleRow({ registration: 'AAA', year: 'x' });
    const { path, written } = await stoppedImport(`${manyVehicles('TWICE', 600, 3)}${bad}\n`, 3);
    expect(new Set((await stored()).map(({ policies }) => policies.length))).toEqual(new Set([3]));
    const again = await interruptedRun([...importing(path), '--json'], 1, 'BatchWriteItem');
    expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([130, { interrupted: true }]);
    const continued = await countedRun([...importing(path), '--json']);
    const notice = `The import ${CONTINUES}`;
    expect([continued.exitCode, JSON.parse(continued.stderr)]).toEqual([1, { notice }]);
    const { read, skipped, loaded, rejected: count } = JSON.parse(continued.stdout);
    expect([read, count, skipped > 0, skipped + loaded * 3]).toEqual([1_801, 1, true, 1_800]);
    expect([written + writtenItems(), (await stored()).length, stagingFilesOf(path)]).toEqual([600, 600, []]);
    expect(await rejectedLines(path)).toMatchObject([{ line: 1_802 }]);
  });

  it('continues after a database error, whose message has the number of stored records', async () => {
    const path = await file('v.csv', manyVehicles('FAULT'));
    denyFrom(6);
    const failed = await countedRun(importing(path));
    proxy().reset();
    const loaded = async () => (await stored()).filter(({ registration }) => registration.startsWith('FAULT')).length;
    const before = await loaded();
    expect(failed).toEqual(failure(`AccessDeniedException; ${before} records were loaded before, ${CAN_CONTINUE}\n`));
    expect(await countedRun(importing(path))).toMatchObject({ exitCode: 0 });
    // What was written behind the failed batch is written again.
    expect([await loaded(), writtenItems() < 300]).toEqual([300, true]);
  });

  it('stores the first of over 1,000 rows of a vehicle, even when it is stopped right after that', async () => {
    const line = (registration: string, outstandingFines = 0) => complianceLine({ registration, outstandingFines });
    // The repeated vehicle ends the first batch of 25.
    const before = Array.from({ length: 24 }, (_, index) => line(`A${10 + index}`));
    const repeated = Array.from({ length: 1_200 }, (_, index) => line('AAA', index));
    const after = Array.from({ length: 60 }, (_, index) => line(`B${10 + index}`));
    const path = await file('c.ndjson', [...before, ...repeated, ...after].join('\n'));
    denyFrom(2);
    expect(await countedRun(importing(path, 'compliance'))).toEqual(failure('25 records were loaded before'));
    expect(await run(importing(path, 'compliance'))).toMatchObject({ exitCode: 1 });
    const records = await stored<{ registration: string; outstandingFines: number }>('compliance');
    expect(records.find(({ registration }) => registration === 'AAA')?.outstandingFines).toBe(0);
    expect(await rejectedLines(path)).toHaveLength(repeated.length - 1);
  });
});

describe('A stopped import', () => {
  it.each([
    ['import', '--if-newer', 0],
    ['import', '--dates=uk', 0],
    ['import', '--map=colour=color', 2],
    ['import', 'into another table', 0],
    ['remove', '', 0],
  ])('is left alone by another run, which names its staging file: %s %s', async (verb, option, exitCode) => {
    const { path, staging } = await stoppedImport();
    const { names, endpoint } = engine();
    const tables = option === 'into another table' ? { ...names, vehicles: names.compliance } : names;
    const options = [option, '--dynamodb', endpoint].slice(option.startsWith('--') ? 0 : 1);
    const other = await runAdminCommand([verb, 'vehicles', path, ...options], tables);
    const stderr = expect.stringContaining(`${staging} belongs to a run with another table or other options: if`);
    expect([other, stagingFilesOf(path)]).toMatchObject([{ exitCode, stderr }, [staging]]);
  });

  it.each([
    ['the file has changed in its modification time', 'STOP', 0],
    ['the file has changed in its size', 'NEW', undefined],
    ['the file has changed in its content', 'PEST', undefined],
    ['the table was deleted and created again', 'STOP', undefined],
  ])('begins again with a notice when %s alone', async (reason, prefix, time) => {
    const { path } = await stoppedImport();
    const { atime, mtime } = await stat(path);
    await file('v.csv', manyVehicles(prefix));
    await utimes(path, atime, time ?? mtime);
    const { names, client } = engine();
    if (reason.startsWith('the table')) {
      await client.send(new DeleteTableCommand({ TableName: names.vehicles }));
      await createTables(client, names);
    }
    const stderr = `The import begins again: ${reason.replace(/ in its .*/, '')} since it was stopped.\n`;
    expect(await run(importing(path))).toMatchObject({ exitCode: 0, stderr });
  });
});

describe('Ctrl-C', () => {
  it.each([
    ['is one request when npm repeats it within a second', [500, 501, 1_499], ['stop']],
    ['is a second request when it comes a second later', [500, 1_500], ['stop', 'stop now']],
  ])('%s', (_title, moments, expected) => {
    const calls: string[] = [];
    let now = 0;
    const actions = { stop: () => calls.push('stop'), stopNow: () => calls.push('stop now') };
    const listener = stopListener(actions, () => now);
    for (now of moments) listener();
    expect(calls).toEqual(expected);
  });

  it('ends the process of an import with its summary and how to continue it, even when two signals arrive', async () => {
    const path = await file('v.csv', manyVehicles('SIGNAL', 1_500));
    const child = spawn(process.execPath, processArguments(...importing(path)));
    // Both are pending before the process sees either, so that they are one request however slow the machine is.
    const signals = ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const;
    atCall(1, 'BatchWriteItem', () => {
      for (const signal of signals) child.kill(signal);
    });
    expect(await ended(child)).toMatchObject({
      exitCode: 130,
      stdout: expect.stringMatching(/rows read +vehicles loaded/),
      stderr: `Stopped by Ctrl-C; ${CAN_CONTINUE}.\n`,
    });
  });

  it('is obeyed while the file is read, before a row and after the last one, and nothing is lost', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow({ registration: 'LAST' })));
    const stopAfter = async (times: number) => {
      const { exitCode } = await run(importing(path), { signal: interruptionAfter(times) });
      return [exitCode, stagingFilesOf(path).length];
    };
    expect([await stopAfter(0), await stopAfter(1), await stopAfter(1)]).toEqual([
      [130, 0],
      [130, 1],
      [130, 1],
    ]);
    expect((await stored()).map(({ registration }) => registration)).toContain('LAST');
    expect(await run(importing(path))).toMatchObject({ exitCode: 0, stderr: `The import ${CONTINUES}\n` });
  });
});

describe('Writing in batches', () => {
  /** Writes batches with names of what they do, three at a time. @returns what happened, in its order */
  const written = async (...batches: readonly string[]): Promise<string[]> => {
    const slow = Promise.withResolvers<void>();
    const events: string[] = [];
    const source = async function* () {
      for (const batch of batches) {
        if (batch === 'unreadable') throw new Error(batch);
        yield batch;
      }
    };
    const write = async (batch: string) => {
      if (batch.startsWith('slow')) await slow.promise;
      if (batch.endsWith('bad')) throw new Error(batch);
      events.push(batch);
    };
    const writing = (async () => {
      for await (const batch of writeBatches(source(), write, 3)) events.push(`${batch} is confirmed`);
    })().catch(({ message }: Error) => void events.push(`thrown: ${message}`));
    // Time for everything that does not wait for the slow one.
    await new Promise(setImmediate);
    slow.resolve();
    await writing;
    return events;
  };

  it('throws the first error of a write once no request is in flight', async () => {
    expect(await written('slow', 'bad', 'late')).toEqual(['slow', 'slow is confirmed', 'thrown: bad']);
  });

  it('throws an error of the source once no request is in flight', async () => {
    const events = await written('slow', 'quick', 'quick', 'unreadable');
    expect([events.includes('slow'), events.at(-1)]).toEqual([true, 'thrown: unreadable']);
  });

  it('confirms no batch before every earlier one is written', async () => {
    expect(await written('slow', 'quick')).toEqual(['quick', 'slow', 'slow is confirmed', 'quick is confirmed']);
    expect(await written('slow and bad', 'quick')).toEqual(['quick', 'thrown: slow and bad']);
  });
});
