import { showProgress } from '../command/progress.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { listNames } from './columns.ts';
import type { FileRun } from './file-command.ts';
import { type Row, readRow, readRows, refuseLines } from './rows.ts';
import { requireUnchanged } from './source-file.ts';
import { hasUsDate } from './uk-dates.ts';
import { readRowRegistration, requireReadableRows } from './unreadable-rows.ts';

/** Stages the rows of a file, until Ctrl-C. @throws CommandFailure when the file is refused or changes meanwhile */
export const stageFile = async (
  { command, source, options, staged }: FileRun,
  context: CommandContext,
): Promise<void> => {
  const bar = showProgress(context, 'reading', source.bytes);
  let rows = 0;
  try {
    for await (const { rows: page, layout, read } of readRows(source, command, options.map)) {
      if (context.signal.aborted) return;
      staged.setLayout(layout);
      const usDates: Row[] = [];
      for (const given of page) {
        const row = readRow(given, layout);
        if (options.dates === 'uk' && hasUsDate(row.fields)) usDates.push(row);
        const found = readRowRegistration(command, row, layout, options);
        staged.add(given, 'key' in found ? found.key : '');
        if ('clause' in found) staged.reject(row.line, [`the row ${found.clause}`]);
      }
      refuseLines(usDates, 'a date with the month first, so --dates uk reads others wrongly: write it as YYYY-MM-DD');
      rows += page.length;
      bar.update(read, { rows });
    }
  } finally {
    bar.stop();
  }
  const layout = staged.layout();
  if (typeof layout === 'object' && layout.ignored.length > 0) {
    context.notice(
      `Columns that are not used: ${listNames(layout.ignored)}. --map COLUMN=NAME says which one a column is.`,
    );
  }
  await requireUnchanged(source);
  requireReadableRows(staged, command.verb === 'import' ? options.unreadableAtMost : undefined, source);
  staged.rejectManyRows();
};
