import { contentExport } from '../../content-maintenance/content-export.ts';
import type { CommandResult } from '../command/outcome.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { requireNdjson, writeExport } from './export-file.ts';

/**
 * Writes every content item to a file for `import content`, in an order from which the import restores the order of the lists.
 * @throws CommandFailure when the file cannot be written
 */
export const exportContent = async (path: string, context: CommandContext): Promise<CommandResult> => {
  requireNdjson(path);
  const { db, tableNames } = context.deployment;
  const content = contentExport(db, tableNames.content);
  const progress = showProgress(context, 'content', await content.count());
  let items = 0;
  async function* counted() {
    for await (const item of content.items()) {
      items += 1;
      progress.update(items, { rows: items });
      yield item;
    }
  }
  const interrupted = await writeExport(path, counted(), context).finally(progress.stop);
  if (interrupted) return interrupted;
  return { text: `${items.toLocaleString('en-GB')} content items are in ${path}.\n`, data: { file: path, items } };
};
