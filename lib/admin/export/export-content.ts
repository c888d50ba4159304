import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { ContentItem } from '../../../functions/content/item.ts';
import { contentExport } from '../../content-maintenance/content-export.ts';
import { PRIVATE_FILE } from '../../private-file.ts';
import { asFileFailure, CommandFailure, type CommandResult, EXIT } from '../command/outcome.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandRun, Runner } from '../deployment/deployment.ts';
import { formatOf } from '../files/source-file.ts';

/** U+FFFD is escaped: an import reads the character itself as bytes that were not UTF-8. */
const lineOf = (item: ContentItem): string => `${JSON.stringify(item).replaceAll('\ufffd', '\\ufffd')}\n`;

/** Every item as NDJSON, in an order that gives the lists the same order when it is imported. */
const writeItems = async (path: string, run: CommandRun): Promise<number> => {
  const { db, tableNames } = run.deployment;
  const content = contentExport(db, tableNames.content);
  const progress = showProgress(run, 'content', await content.count());
  let rows = 0;
  async function* lines() {
    for await (const item of content.items()) {
      rows += 1;
      progress.update(rows, { rows });
      yield lineOf(item);
    }
  }
  try {
    await pipeline(Readable.from(lines()), createWriteStream(path, PRIVATE_FILE), { signal: run.signal });
    return rows;
  } finally {
    progress.stop();
  }
};

/**
 * Writes every content item to a file that `import content` loads.
 * @throws CommandFailure when the file cannot be written or the database is not there
 */
const exportContent = async (path: string, run: CommandRun): Promise<CommandResult> => {
  if (formatOf(path) !== 'ndjson') throw new CommandFailure(`an export is NDJSON; give a name that ends in .ndjson`);
  // An incomplete export has another name, so that nobody loads it.
  const part = `${path}.part`;
  try {
    // A killed export may have left a file that others can read.
    await rm(part, { force: true });
    const items = await writeItems(part, run);
    await rename(part, path);
    return { text: `${items.toLocaleString('en-GB')} content items are in ${path}.\n`, data: { file: path, items } };
  } catch (error) {
    await rm(part, { force: true });
    if (run.signal.aborted) return { text: '', data: { interrupted: true }, exitCode: EXIT.interrupted };
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CommandFailure(`there is no such folder: ${dirname(path)}`, { cause: error });
    }
    throw asFileFailure(error, path);
  }
};

/** Adds `export content`. */
export const addExportCommands = (program: Command, run: Runner): void => {
  program
    .command('export')
    .description('write data to a file that import loads again')
    .command('content')
    .description('every content item, with its id, timestamps and version')
    .argument('<file>', 'a .ndjson file; one of that name is replaced')
    .action((file: string) => run((command) => exportContent(file, command)));
};
