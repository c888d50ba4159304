import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ContentItem } from '../../../functions/content/item.ts';
import { contentExport } from '../../content-maintenance/content-export.ts';
import { PRIVATE_FILE } from '../../private-file.ts';
import { CommandFailure } from '../command/command-failure.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { asFileFailure } from '../command/file-errors.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandRun } from '../deployment/command-run.ts';
import { formatOf } from '../files/file-format.ts';

/** Until it is whole, an export has another name, so that nobody loads half of one. */
const partOf = (path: string): string => `${path}.part`;

/** U+FFFD is escaped: unescaped, an import takes it for bytes that were not UTF-8. */
const lineOf = (item: ContentItem): string => `${JSON.stringify(item).replaceAll('\ufffd', '\\ufffd')}\n`;

/** Every item as NDJSON, in the order in which loading gives the lists the same order again. */
const writeItems = async (path: string, { deployment, context }: CommandRun): Promise<number> => {
  const content = contentExport(deployment.db, deployment.tableNames.content);
  const progress = showProgress(context.stderr, 'content', await content.count());
  let items = 0;
  async function* lines() {
    for await (const item of content.items()) {
      items += 1;
      progress.read(items);
      yield lineOf(item);
    }
  }
  try {
    await pipeline(Readable.from(lines()), createWriteStream(path, PRIVATE_FILE), { signal: context.signal });
    return items;
  } finally {
    progress.stop();
  }
};

/**
 * Writes every content item to a file that `import content` loads.
 * @throws CommandFailure when the file cannot be written or the database is not there
 */
export const exportContent = async (path: string, run: CommandRun): Promise<ExitCode> => {
  if (formatOf(path) !== 'ndjson') throw new CommandFailure(`an export is NDJSON; give a name that ends in .ndjson`);
  try {
    // What a killed export left may be readable by others.
    await rm(partOf(path), { force: true });
    const items = await writeItems(partOf(path), run);
    await rename(partOf(path), path);
    run.context.stdout.write(`${items.toLocaleString('en-GB')} content items are in ${path}.\n`);
    return EXIT.done;
  } catch (error) {
    await rm(partOf(path), { force: true });
    if (run.context.signal.aborted) return EXIT.interrupted;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new CommandFailure(`there is no such folder: ${dirname(path)}`, { cause: error });
    }
    throw asFileFailure(error, path);
  }
};
