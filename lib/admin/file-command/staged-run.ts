import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { asFileFailure } from '../command/outcome.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandRun } from '../deployment/deployment.ts';
import { type Layout, readRows } from '../files/read-rows.ts';
import { requireUnchanged, type SourceFile } from '../files/source-file.ts';
import type { FileCommand, FileSettings } from './file-command.ts';
import { readState, rowStaging, STAGING_VERSION, type StagingIdentity, type StagingState } from './staged-rows.ts';
import { asStagingFailure, openStagingFile, otherStagingFiles, removeStaging, stagingPlace } from './staging-file.ts';

/** Bytes from the beginning of the file that are hashed. */
const SAMPLE_BYTES = 1_048_576;

/** The options of a file command. */
export interface FileOptions extends FileSettings {
  /** Begins with the first row, whatever a stopped run has done. */
  readonly restart: boolean;
  /** The folder of the staging file, instead of that of the file. */
  readonly staging?: string | undefined;
}

/** One file to work through, and with what. */
export interface FileJob<Entry> extends CommandRun {
  readonly command: FileCommand<Entry>;
  readonly options: FileOptions;
  readonly source: SourceFile;
}

/** What a command is called. */
const RUN_NAMES = { import: 'import', remove: 'removal' } as const;

/** Why a stopped run is not continued, by what must be the same. */
const DIFFERENCES = {
  version: 'its staging file was written by another version',
  file: 'the file has changed since it was stopped',
  created: 'the table was deleted and created again since it was stopped',
} as const satisfies Readonly<Record<keyof StagingIdentity, string>>;

const hashOfSample = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  const sample = createReadStream(path, { end: SAMPLE_BYTES - 1 }) as AsyncIterable<Buffer>;
  for await (const chunk of sample) hash.update(chunk);
  return hash.digest('hex');
};

/** Why the run of a staging file cannot be continued, as a clause; undefined when it can. */
const unusableFor =
  (identity: StagingIdentity, restart: boolean) =>
  (db: DatabaseSync): string | undefined => {
    if (restart) return '--restart';
    const state = readState(db);
    if (state === undefined) return 'it was stopped while it read the file';
    const names = Object.keys(DIFFERENCES) as (keyof StagingIdentity)[];
    const different = names.find((name) => JSON.stringify(state.identity[name]) !== JSON.stringify(identity[name]));
    return different && DIFFERENCES[different];
  };

/** A file whose rows are staged. */
export interface StagedRun {
  /** Of the table and the options. */
  readonly hash: string;
  readonly path: string;
  readonly db: DatabaseSync;
  readonly state: StagingState;
}

/** Stages the rows of the file; undefined after Ctrl-C. @throws CommandFailure when the file changes meanwhile */
const stageRows = async <Entry>(
  job: FileJob<Entry>,
  db: DatabaseSync,
  identity: StagingIdentity,
): Promise<StagingState | undefined> => {
  const { command, source, signal } = job;
  const bar = showProgress(job, 'reading', source.bytes);
  const staging = rowStaging(db);
  let layout: Layout = 'txt';
  let rows = 0;
  let read = 0;
  const onBytes = (bytes: number) => {
    read = bytes;
    bar.update(read, { rows });
  };
  const onLayout = (found: Layout) => {
    layout = found;
  };
  try {
    for await (const chunk of readRows(source, command.columns, onLayout, onBytes)) {
      if (signal.aborted) return undefined;
      for (const row of chunk) staging.add(row, command.keyOf(row) ?? '');
      rows += chunk.length;
    }
  } finally {
    onBytes(read);
    bar.stop();
  }
  await requireUnchanged(source);
  return staging.end({ identity, started: job.now().toISOString(), layout });
};

/**
 * Opens the staging file of a job: that of a stopped run of the same command with the same file and table, or a new one, for
 * which it reads the file. Notices report which. Undefined after Ctrl-C, when nothing is staged.
 * @throws CommandFailure when the file cannot be read or staged
 */
export const openStagedRun = async <Entry>(job: FileJob<Entry>): Promise<StagedRun | undefined> => {
  const { command, options, source, deployment, notice } = job;
  const { Table } = await deployment.db.send(
    new DescribeTableCommand({ TableName: deployment.tableNames[command.noun] }),
  );
  const identity: StagingIdentity = {
    version: STAGING_VERSION,
    file: [source.bytes, source.changed, await hashOfSample(source.path)],
    created: Table?.CreationDateTime?.toISOString(),
  };
  const { verb, noun } = command;
  const use = [verb, noun, options.dates, options.ifNewer, Table?.TableArn];
  const { hash, path } = stagingPlace(source.path, options.staging, use);
  const { db, replaced, isContinued } = openStagingFile(path, unusableFor(identity, options.restart));
  try {
    for (const other of otherStagingFiles(path)) {
      notice(`${other} is left of a run with another table or other options: run that again, or delete the file.`);
    }
    if (replaced !== undefined && !options.restart) notice(`The ${RUN_NAMES[verb]} begins again: ${replaced}.`);
    const stopped = isContinued ? readState(db) : undefined;
    if (stopped) notice(`The ${RUN_NAMES[verb]} continues where it was stopped; --restart begins again.`);
    const state = stopped ?? (await stageRows(job, db, identity));
    if (state !== undefined) return { hash, path, db, state };
    db.close();
    removeStaging(path);
    return undefined;
  } catch (error) {
    db.close();
    // What is staged in part is of no use, and may fill the disk.
    if (!isContinued) removeStaging(path);
    throw asFileFailure(asStagingFailure(error, path), source.path);
  }
};
