import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { PRIVATE_FILE } from '../../private-file.ts';
import { asFileFailure } from '../command/outcome.ts';
import type { RejectedRow } from './row.ts';

/** Characters of a row that are written; valid rows are shorter. */
const MAX_ROW_TEXT = 200_000;

const asLine = ({ row: { line, text, isJson }, reasons }: RejectedRow): string => {
  const isWhole = text.length <= MAX_ROW_TEXT;
  const row = isJson && isWhole ? text : JSON.stringify(isWhole ? text : `${text.slice(0, MAX_ROW_TEXT)}…`);
  return `{"line":${line},"reasons":${JSON.stringify(reasons)},"row":${row}}\n`;
};

/**
 * `FILE.rejected.ndjson`, which gets the rejected rows of a file: one JSON object a line with `line`, `reasons` and `row`.
 * An earlier file of that name is removed at once. The file is created with the first rejected row.
 */
export const rejectedFile = async (path: string) => {
  const target = `${path}.rejected.ndjson`;
  try {
    await rm(target, { force: true });
  } catch (error) {
    throw asFileFailure(error, target);
  }
  let stream: WriteStream | undefined;
  let drained: Promise<unknown> | undefined;
  let failure: { readonly error: unknown } | undefined;
  return {
    path: target,
    /** Returns a promise to await when the disk is behind. @throws CommandFailure when the file cannot be written */
    add: (rejected: RejectedRow): Promise<unknown> | undefined => {
      if (failure) throw failure.error;
      stream ??= createWriteStream(target, PRIVATE_FILE).on('error', (error) => {
        failure = { error: asFileFailure(error, target) };
      });
      if (stream.write(asLine(rejected))) return undefined;
      // One promise for all rows of a vehicle: one per row would add listeners to the stream.
      drained ??= once(stream, 'drain')
        .catch((error: unknown) => {
          throw asFileFailure(error, target);
        })
        .finally(() => {
          drained = undefined;
        });
      return drained;
    },
    /** Resolves when all of it is written. @throws CommandFailure when the file cannot be written */
    close: async (): Promise<void> => {
      if (stream) await new Promise<void>((resolve) => stream?.end(resolve));
      if (failure) throw failure.error;
    },
  };
};

export type RejectedFile = Awaited<ReturnType<typeof rejectedFile>>;
