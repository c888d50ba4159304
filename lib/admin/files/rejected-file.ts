import { type FileHandle, open, rename, rm } from 'node:fs/promises';
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

/** Where the rejected rows of a file go. */
export const rejectedPath = (path: string): string => `${path}.rejected.ndjson`;

/**
 * `FILE.rejected.ndjson`, which gets the rejected rows of a file: one JSON object a line with `line`, `reasons` and `row`. An
 * earlier file of that name is removed at once. The new one has this name when it is complete, until then one with `id`, which
 * no other process has at the same time.
 * @throws CommandFailure when something else has that name
 */
export const rejectedFile = async (path: string, id: string | number = process.pid) => {
  const target = rejectedPath(path);
  const part = `${target}.${id}.part`;
  let file: FileHandle | undefined;

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await file?.close();
      await rm(part, { force: true });
      throw asFileFailure(error, target);
    }
  };

  await attempt(async () => {
    await rm(target, { force: true });
    // That of a run that was killed.
    await rm(part, { force: true });
  });
  return {
    /** @throws CommandFailure when the file cannot be written */
    add: (rows: readonly RejectedRow[]): Promise<void> =>
      attempt(async () => {
        if (rows.length === 0) return;
        file ??= await open(part, 'wx', PRIVATE_FILE.mode);
        await file.appendFile(rows.map(asLine).join(''));
      }),
    /** Gives the file its name, if there were rejected rows. @throws CommandFailure when it cannot have it */
    close: (): Promise<void> =>
      attempt(async () => {
        if (file === undefined) return;
        await file.close();
        await rename(part, target);
      }),
  };
};
