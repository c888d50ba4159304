import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import * as T from 'typebox';
import type { Deployment } from '../deployment/deployment.ts';
import type { SourceFile } from '../files/source-file.ts';
import type { FileCommand, FileSettings } from './file-command.ts';

/** Bytes from the beginning of the file that are hashed. */
const SAMPLE_BYTES = 1_048_576;

export const RunIdentity = T.Object({
  command: T.Union([T.Literal('import'), T.Literal('remove')]),
  kind: T.String(),
  /** The option `--dates`, which decides what is rejected. */
  dates: T.String(),
  ifNewer: T.Boolean(),
  file: T.Object({ bytes: T.Number(), changed: T.String(), sampleHash: T.String() }),
  /** A table that was deleted and created again has the same name and ARN, but another creation time. */
  table: T.Object({ arn: T.String(), created: T.String() }),
});

/** Which command runs on which file and table. A stopped one can be resumed only when all of it is the same. */
export type RunIdentity = T.Static<typeof RunIdentity>;

const hashOfSample = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  const sample = createReadStream(path, { end: SAMPLE_BYTES - 1 }) as AsyncIterable<Buffer>;
  for await (const chunk of sample) hash.update(chunk);
  return hash.digest('hex');
};

/** @throws the error of the database or the file system when the table or the file does not exist */
export const runIdentityOf = async (
  { verb, noun }: FileCommand,
  { dates, ifNewer }: FileSettings,
  { path, bytes, changed }: SourceFile,
  { db, tableNames }: Deployment,
): Promise<RunIdentity> => {
  const { Table } = await db.send(new DescribeTableCommand({ TableName: tableNames[noun] }));
  return {
    command: verb,
    kind: noun,
    dates,
    ifNewer,
    file: { bytes, changed, sampleHash: await hashOfSample(path) },
    table: { arn: Table?.TableArn ?? '', created: Table?.CreationDateTime?.toISOString() ?? '' },
  };
};

/** What a run of the command is called. */
export const RUN_NAMES = { import: 'import', remove: 'removal' } as const;

/** Why the one run cannot be resumed as the other; undefined when they are the same. */
export const differenceOf = (stopped: RunIdentity, now: RunIdentity): string | undefined => {
  const run = RUN_NAMES[now.command];
  if (stopped.kind !== now.kind) return `the stopped ${run} was one of ${stopped.kind}, not of ${now.kind}`;
  if (stopped.dates !== now.dates) return `the stopped ${run} had --dates ${stopped.dates}`;
  if (stopped.ifNewer !== now.ifNewer) {
    return `the stopped ${run} ${stopped.ifNewer ? 'had' : 'did not have'} --if-newer`;
  }
  const isSameFile =
    stopped.file.bytes === now.file.bytes &&
    stopped.file.changed === now.file.changed &&
    stopped.file.sampleHash === now.file.sampleHash;
  if (!isSameFile) return `the file has changed since its ${run} was stopped`;
  if (stopped.table.arn !== now.table.arn) return `the stopped ${run} was one with another table`;
  return stopped.table.created === now.table.created
    ? undefined
    : `the table was deleted and created again since the ${run} was stopped`;
};
