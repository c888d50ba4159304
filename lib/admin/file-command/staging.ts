import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { showProgress } from '../command/progress.ts';
import { listNames } from '../files/csv-header.ts';
import { type Layout, readRows } from '../files/read-rows.ts';
import { requireUnchanged } from '../files/source-file.ts';
import type { FileCommand, FileContext } from './file-command.ts';
import { malformedRows } from './malformed-rows.ts';
import { readState, rowStaging, STAGING_VERSION, type StagingIdentity, type StagingState } from './staged-rows.ts';
import { openStagingFile, stagingPlace } from './staging-database.ts';

/** Bytes from the beginning of the file that are hashed. */
const SAMPLE_BYTES = 1_048_576;

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

/**
 * Opens the staging file of a file: that of a stopped run of the same command with the same file and table, or a new one.
 * Notices report which. @throws CommandFailure when it cannot be opened
 */
export const openStaging = async (
  { verb, noun }: Pick<FileCommand<unknown>, 'verb' | 'noun'>,
  { source, table, map, dates, ifNewer, restart, staging, deployment, notice }: FileContext,
) => {
  const { Table } = await deployment.db.send(new DescribeTableCommand({ TableName: table }));
  const identity: StagingIdentity = {
    version: STAGING_VERSION,
    file: [source.bytes, source.changed, await hashOfSample(source.path)],
    created: Table?.CreationDateTime?.toISOString(),
  };
  const use = [verb, noun, map, dates, source.encoding, ifNewer, Table?.TableArn];
  const { hash, path } = stagingPlace(source.path, staging, use);
  let state: StagingState | undefined;
  /** Why the run of a staging file cannot be continued, as a clause. */
  const unusable = (db: DatabaseSync): string | undefined => {
    if (restart) return '--restart';
    state = readState(db);
    if (state === undefined) return 'it was stopped while it read the file';
    for (const name of ['version', 'file', 'created'] as const) {
      if (JSON.stringify(state.identity[name]) !== JSON.stringify(identity[name])) return DIFFERENCES[name];
    }
    return undefined;
  };
  const { db, replaced } = openStagingFile(path, unusable);
  const name = verb === 'import' ? 'import' : 'removal';
  if (replaced !== undefined) {
    if (!restart) notice(`The ${name} begins again: ${replaced}.`);
    state = undefined;
  }
  if (state !== undefined) notice(`The ${name} continues where it was stopped; --restart begins again.`);
  return { hash, path, db, identity, state };
};

/** A staging file that is open: with its state when a stopped run is continued. `hash` is that of the table and the options. */
export type Staging = Awaited<ReturnType<typeof openStaging>>;

/** Stages the rows of the file; undefined after Ctrl-C. @throws CommandFailure when the file changes meanwhile */
export const stageFile = async <Entry>(
  command: FileCommand<Entry>,
  context: FileContext,
  { db, identity }: Staging,
): Promise<StagingState | undefined> => {
  const { source, signal } = context;
  const bar = showProgress(context, 'reading', source.bytes);
  const staging = rowStaging(db);
  const malformed = malformedRows(db);
  /** Whether a record without one of its rows would be stored. */
  const mayBeHalf = command.verb === 'import' && command.noun !== 'content';
  let layout: Layout = 'txt';
  let rows = 0;
  try {
    for await (const chunk of readRows(source, command.columns, context.map)) {
      if (signal.aborted) return undefined;
      for (const row of chunk.rows) {
        // Nobody knows whose a row with wrong cells is.
        const key = row.cells === 'wrong' ? undefined : command.keyOf(row);
        staging.add(row, key ?? '');
        if (mayBeHalf) malformed.add(row, key);
      }
      rows += chunk.rows.length;
      layout = chunk.layout;
      bar.update(chunk.read, { rows });
    }
  } finally {
    bar.stop();
  }
  if (typeof layout === 'object' && layout.ignored.length > 0) {
    context.notice(
      `Columns that are not used: ${listNames(layout.ignored)}. --map COLUMN=NAME says which one a column is.`,
    );
  }
  await requireUnchanged(source);
  if (typeof layout === 'object') malformed.end(layout);
  return staging.end({ identity, started: context.now().toISOString(), layout });
};
