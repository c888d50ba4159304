import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PRIVATE_FILE } from '../../private-file.ts';
import { asFileFailure, CommandFailure, type CommandResult, EXIT } from '../command/outcome.ts';
import type { CommandContext } from '../deployment/deployment.ts';

/** Escapes U+FFFD: an import takes the character itself for invalid UTF-8. */
const lineOf = (record: object): string => `${JSON.stringify(record).replaceAll('\ufffd', '\\ufffd')}\n`;

async function* linesOf(records: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const record of records) yield lineOf(record);
}

/** @throws CommandFailure unless the name ends in .ndjson */
export const requireNdjson = (path: string): void => {
  if (extname(path).toLowerCase() === '.ndjson') return;
  throw new CommandFailure(`an export is NDJSON; give a name that ends in .ndjson: ${path}`);
};

/**
 * Writes records to an NDJSON file, which replaces an earlier one when it is complete.
 * @returns the result of the command if Ctrl-C ended it, otherwise undefined
 * @throws CommandFailure when the file cannot be written
 */
export const writeExport = async (
  path: string,
  records: AsyncIterable<object>,
  { signal }: Pick<CommandContext, 'signal'>,
): Promise<CommandResult | undefined> => {
  // An incomplete export has another name, so that nobody loads it.
  const part = `${path}.part`;
  try {
    // A killed export may have left a file that others can read.
    await rm(part, { force: true });
    await pipeline(Readable.from(linesOf(records)), createWriteStream(part, PRIVATE_FILE), { signal });
    await rename(part, path);
    return undefined;
  } catch (error) {
    await rm(part, { force: true });
    if (signal.aborted) return { text: '', data: { interrupted: true }, exitCode: EXIT.interrupted };
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CommandFailure(`there is no such folder: ${dirname(path)}`, { cause: error });
    }
    throw asFileFailure(error, path);
  }
};
