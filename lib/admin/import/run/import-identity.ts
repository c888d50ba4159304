import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import * as T from 'typebox';
import type { Deployment } from '../../deployment/deployment.ts';
import type { SourceFile } from '../../files/source-file.ts';
import type { DateForm, ImportKind } from './import-kind.ts';

/** Bytes from the beginning of the file that are hashed. */
const SAMPLE_BYTES = 1_048_576;

export const ImportIdentity = T.Object({
  kind: T.String(),
  /** The option `--dates`, which decides what is rejected. */
  dates: T.String(),
  file: T.Object({ bytes: T.Number(), changed: T.String(), sampleHash: T.String() }),
  /** A table that was deleted and created again has the same name and ARN, but another creation time. */
  table: T.Object({ arn: T.String(), created: T.String() }),
});

/** What is imported and into which table. A stopped import can be resumed only when all of it is the same. */
export type ImportIdentity = T.Static<typeof ImportIdentity>;

const hashOfSample = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  const sample = createReadStream(path, { end: SAMPLE_BYTES - 1 }) as AsyncIterable<Buffer>;
  for await (const chunk of sample) hash.update(chunk);
  return hash.digest('hex');
};

/** @throws the error of the database or the file system when the table or the file does not exist */
export const importIdentityOf = async (
  { noun }: ImportKind,
  dates: DateForm,
  { path, bytes, changed }: SourceFile,
  { db, tableNames }: Deployment,
): Promise<ImportIdentity> => {
  const { Table } = await db.send(new DescribeTableCommand({ TableName: tableNames[noun] }));
  return {
    kind: noun,
    dates,
    file: { bytes, changed, sampleHash: await hashOfSample(path) },
    table: { arn: Table?.TableArn ?? '', created: Table?.CreationDateTime?.toISOString() ?? '' },
  };
};

/** Why the one import cannot be resumed as the other; undefined when they are the same. */
export const differenceOf = (stopped: ImportIdentity, now: ImportIdentity): string | undefined => {
  if (stopped.kind !== now.kind) return `the stopped import was one of ${stopped.kind}, not of ${now.kind}`;
  if (stopped.dates !== now.dates) return `the stopped import had --dates ${stopped.dates}`;
  const isSameFile =
    stopped.file.bytes === now.file.bytes &&
    stopped.file.changed === now.file.changed &&
    stopped.file.sampleHash === now.file.sampleHash;
  if (!isSameFile) return 'the file has changed since its import was stopped';
  if (stopped.table.arn !== now.table.arn) return 'the stopped import was an import into another table';
  return stopped.table.created === now.table.created
    ? undefined
    : 'the table was deleted and created again since the import was stopped';
};
