import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { PRIVATE_FILE } from '../../private-file.ts';
import { asFileFailure } from '../command/file-errors.ts';
import type { RejectedRow } from './row.ts';

/** Characters of a row that are kept; one longer is no row of ours. */
const MAX_ROW_TEXT = 200_000;

const asLine = ({ row: { line, text, isJson }, reasons }: RejectedRow): string => {
  const isWhole = text.length <= MAX_ROW_TEXT;
  const row = isJson && isWhole ? text : JSON.stringify(isWhole ? text : `${text.slice(0, MAX_ROW_TEXT)}…`);
  return `{"line":${line},"reasons":${JSON.stringify(reasons)},"row":${row}}\n`;
};

/**
 * Where the rejected rows of a file go: `FILE.rejected.ndjson`, one JSON object a line with `line`, `reasons` and `row`.
 * An earlier file of that name goes at once, and there is none unless a row is rejected.
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
    /** A promise when the disk is behind: wait for it before going on. @throws CommandFailure when the disk does not take it */
    add: (rejected: RejectedRow): Promise<unknown> | undefined => {
      if (failure) throw failure.error;
      stream ??= createWriteStream(target, PRIVATE_FILE).on('error', (error) => {
        failure = { error: asFileFailure(error, target) };
      });
      if (stream.write(asLine(rejected))) return undefined;
      // One wait for all rows of a vehicle: each of its own would add listeners to the stream.
      drained ??= once(stream, 'drain')
        .catch((error: unknown) => {
          throw asFileFailure(error, target);
        })
        .finally(() => {
          drained = undefined;
        });
      return drained;
    },
    /** All of it is on disk afterwards. @throws CommandFailure when the disk does not take it */
    close: async (): Promise<void> => {
      if (stream) await new Promise<void>((resolve) => stream?.end(resolve));
      if (failure) throw failure.error;
    },
  };
};

export type RejectedFile = Awaited<ReturnType<typeof rejectedFile>>;
