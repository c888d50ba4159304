import { contentExport } from '../../content-maintenance/content-export.ts';
import type { CommandResult } from '../command/outcome.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandRun } from '../deployment/deployment.ts';
import { requireNdjson, writeExport } from './export-file.ts';

/**
 * Writes every content item to a file that `import content` loads, in an order that gives the lists the same order then.
 * @throws CommandFailure when the file cannot be written or the database is not there
 */
export const exportContent = async (path: string, run: CommandRun): Promise<CommandResult> => {
  requireNdjson(path);
  const { db, tableNames } = run.deployment;
  const content = contentExport(db, tableNames.content);
  const progress = showProgress(run, 'content', await content.count());
  let items = 0;
  async function* counted() {
    for await (const item of content.items()) {
      items += 1;
      progress.update(items, { rows: items });
      yield item;
    }
  }
  const interrupted = await writeExport(path, counted(), run).finally(progress.stop);
  if (interrupted) return interrupted;
  return { text: `${items.toLocaleString('en-GB')} content items are in ${path}.\n`, data: { file: path, items } };
};
