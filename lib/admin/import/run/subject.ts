import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import * as T from 'typebox';
import type { Deployment } from '../../deployment/deployment.ts';
import type { ImportKind } from './run.ts';
import type { SourceFile } from './source-file.ts';

/** Bytes of a file whose hash stands for its content, beside its size and the moment of its last change. */
const SAMPLE_BYTES = 1_048_576;

export const Subject = T.Object({
  kind: T.String(),
  file: T.Object({ bytes: T.Number(), changed: T.String(), beginning: T.String() }),
  /** A table that is dropped and made anew is another one, though its name and ARN are the same. */
  table: T.Object({ arn: T.String(), created: T.String() }),
});

/** What is imported and into what: a stopped import can only go on where all of it is the same. */
export type Subject = T.Static<typeof Subject>;

const hashOfBeginning = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  const sample = createReadStream(path, { end: SAMPLE_BYTES - 1 }) as AsyncIterable<Buffer>;
  for await (const chunk of sample) hash.update(chunk);
  return hash.digest('hex');
};

/** @throws what the database or the file system throws when the table or the file is not there */
export const subjectOf = async (
  { noun, table }: ImportKind,
  { path, bytes, changed }: SourceFile,
  { db, tableNames }: Deployment,
): Promise<Subject> => {
  const { Table } = await db.send(new DescribeTableCommand({ TableName: tableNames[table] }));
  return {
    kind: noun,
    file: { bytes, changed, beginning: await hashOfBeginning(path) },
    table: { arn: Table?.TableArn ?? '', created: Table?.CreationDateTime?.toISOString() ?? '' },
  };
};

/** Why an import of one thing cannot go on as an import of another; undefined when they are the same. */
export const differenceOf = (stopped: Subject, now: Subject): string | undefined => {
  if (stopped.kind !== now.kind) return `what was stopped was an import of ${stopped.kind}, not of ${now.kind}`;
  const isSameFile =
    stopped.file.bytes === now.file.bytes &&
    stopped.file.changed === now.file.changed &&
    stopped.file.beginning === now.file.beginning;
  if (!isSameFile) return 'the file has changed since its import was stopped';
  if (stopped.table.arn !== now.table.arn) return 'what was stopped was an import into another table';
  return stopped.table.created === now.table.created
    ? undefined
    : 'the table was made anew since the import was stopped';
};
