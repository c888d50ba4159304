import { type CommandResult, EXIT } from '../command/command-result.ts';
import { formatNumber, printable, readableTable, toLines } from '../command/format.ts';
import type { RecordOutcome } from '../records/decide-change.ts';
import { type FileRun, isRejectedWhole } from './file-command.ts';
import { type WrittenList, writeRegistrations, writeRejected } from './output-file.ts';
import type { Row } from './rows.ts';
import type { StagedRows } from './staging.ts';

export const BEGINS_AGAIN = 'the same command begins again and finds what is written already';

export const outcomeWord = (outcome: RecordOutcome): string => (outcome === 'putBack' ? 'put back' : outcome);

const MAX_REASONS_SHOWN = 20;
const MAX_VALUE_LENGTH = 40;

/** The value of a field such as `valid_from` or `policies[0].validFrom`. */
const valueAt = (fields: Row['fields'] | undefined, name: string): string | undefined => {
  // A registration is personal data: it is in the file of rejected rows only.
  if (name === 'registration') return undefined;
  let value: unknown = fields;
  for (const part of name.split(/[.[\]]+/).filter(Boolean)) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  const isPlain = (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';
  return isPlain ? printable(String(value), MAX_VALUE_LENGTH) : undefined;
};

/**
 * The reasons for which rows were rejected, most frequent first. The text after a semicolon is advice. `firstValue` is
 * the value of the field in the first row, if the reason is about one value.
 */
const findReasons = (staged: StagedRows) =>
  staged.reasons().map(({ general, reason, count, line }) => {
    const [what = '', advice] = general.split('; ');
    const [, name] = /^(\S+): /.exec(reason) ?? [];
    return {
      reason: printable(what.replace(/^(\S+): /, '$1 ')),
      advice: advice && printable(advice),
      rows: count,
      firstLine: line,
      firstValue: name && valueAt(staged.row(line)?.fields, name),
    };
  });

type RejectionReason = ReturnType<typeof findReasons>[number];

/** A line for each reason; advice is below the first reason that has it. @param place what the rows are */
const reasonLines = (reasons: readonly RejectionReason[], place: string): string[] => {
  const shown = reasons.slice(0, MAX_REASONS_SHOWN);
  const width = formatNumber(shown[0]?.rows ?? 0).length;
  const isFirst = ({ advice, reason }: RejectionReason) =>
    shown.find((one) => one.advice === advice)?.reason === reason;
  const lines = shown.flatMap((one) => [
    `${formatNumber(one.rows).padStart(width)} × ${one.reason}, first in ${place} ${one.firstLine}${one.firstValue ? `: ${one.firstValue}` : ''}`,
    ...(one.advice && isFirst(one) ? [`${' '.repeat(width + 3)}(${one.advice})`] : []),
  ]);
  const more = reasons.length - shown.length;
  return more > 0 ? [...lines, `… and ${formatNumber(more)} more reasons`] : lines;
};

const countsTable = (run: FileRun, seconds: number, rate: number): string => {
  const { command, options, counts } = run;
  const { noun, outcomes } = command;
  const wouldBe = options.dryRun ? ' would be' : '';
  const labels = {
    loaded: `${noun}${wouldBe} loaded`,
    unchanged: 'unchanged',
    kept: 'kept',
    removed: `${noun}${wouldBe} removed`,
    notThere: 'not there',
    erased: 'erased',
    undone: 'undone',
    putBack: `${noun}${wouldBe} put back`,
    changedSince: 'changed since',
  };
  const shown = outcomes.filter((outcome, nth) => nth < 2 || counts[outcome] > 0);
  const cells = {
    'rows read': formatNumber(counts.read),
    ...Object.fromEntries(shown.map((outcome) => [labels[outcome], formatNumber(counts[outcome])])),
    ...(counts.repeated > 0 && { 'rows repeated': formatNumber(counts.repeated) }),
    ...(counts.withoutValue > 0 && { 'rows without a value': formatNumber(counts.withoutValue) }),
    ...(counts.otherVehicles > 0 && { 'rows of other vehicles': formatNumber(counts.otherVehicles) }),
    'rows rejected': formatNumber(counts.rejected),
    seconds: seconds.toFixed(1),
    'rows per second': formatNumber(rate),
  };
  return readableTable(Object.keys(cells), [Object.values(cells)], 'right');
};

/** Writes the files that a run leaves beside its source, and reports it, for people and for scripts. */
export const reportRun = async (
  run: FileRun,
  isAtEnd: boolean,
  started: number,
  changesFile?: string,
): Promise<CommandResult> => {
  const { command, source, options, staged, counts } = run;
  const { verb, noun, outcomes, note } = command;
  const { dryRun } = options;
  const { read, rejected, unknownFormat, becameInsured, noLongerInsured } = counts;
  const hasChanged = counts.loaded + counts.removed + counts.putBack > 0;
  const [done] = outcomes;
  const isWithoutFile = source.path === '';
  const writeList = (list: WrittenList) =>
    isWithoutFile || staged.countListed(list) === 0 ? null : writeRegistrations(source.path, list, staged.listed(list));
  // When Ctrl-C came before the first record was written, rejected rows are not reported.
  const reasons = isAtEnd || read > 0 ? findReasons(staged) : [];
  const hasRejected = reasons.length > 0;
  const rejectedFile =
    hasRejected && !isWithoutFile ? await writeRejected(source.path, staged.rejectedRows(), staged.layout()) : null;
  const registrationsRejected = isWithoutFile
    ? [...staged.rejectedRows()].map(({ row }) => row.fields.registration)
    : [];
  const [removedFile, damagedFile] = [await writeList('removed'), await writeList('damaged')];
  const changedSinceFile = await writeList('changed-since');
  await writeList('not-loaded');
  const notThereFile = verb === 'import' ? null : await writeList('not-there');
  const notThere = isWithoutFile ? [...staged.listed('not-there')] : undefined;
  const damaged = staged.countListed('damaged');
  const first = [...staged.listed('unknown-format')];
  const seconds = (performance.now() - started) / 1_000;
  const rate = read / Math.max(seconds, 1e-3);

  const have = unknownFormat === 1 ? '1 registration has' : `${formatNumber(unknownFormat)} registrations have`;
  const examples = `${first.join(', ')}${unknownFormat > first.length ? ', …' : ''}`;
  const rows = rejected === 1 ? '1 row was rejected' : `${formatNumber(rejected)} rows were rejected`;
  const notes = [
    !isAtEnd && `Stopped by Ctrl-C; ${read > 0 ? BEGINS_AGAIN : `nothing was ${outcomeWord(done)}`}.`,
    ...reasonLines(reasons, isWithoutFile ? 'registration' : 'line'),
    hasRejected &&
      `${rows}${isAtEnd ? '' : ' until then'}${rejectedFile ? `; the reasons are in ${rejectedFile}` : `: ${registrationsRejected.join(', ')}.`}`,
    isAtEnd &&
      options.complete &&
      isRejectedWhole(counts) &&
      'What the file lacks stays, because every row was rejected.',
    damagedFile && `Damaged records that the file lacks stay: ${formatNumber(damaged)}; they are in ${damagedFile}`,
    notThereFile && `What is not there is named in ${notThereFile}`,
    notThere && notThere.length > 0 && `Not there: ${notThere.join(', ')}.`,
    isAtEnd &&
      read === 0 &&
      !isWithoutFile &&
      `The file has no rows: nothing was ${outcomeWord(done)}; look for the right file.`,
    dryRun && `Dry run: nothing was written${removedFile ? `; what would be removed is in ${removedFile}` : ''}.`,
    changedSinceFile && `What somebody has changed since stays, and is named in ${changedSinceFile}`,
    isAtEnd && read > 0 && !dryRun && note,
  ];
  return {
    text:
      countsTable(run, seconds, rate) +
      toLines([
        unknownFormat > 0 && `${have} no known UK format, which is often a mistake: ${examples}`,
        becameInsured + noLongerInsured > 0 &&
          `Vehicles that became insured: ${formatNumber(becameInsured)}; that no longer are: ${formatNumber(noLongerInsured)}.`,
        hasChanged && changesFile && `What ${dryRun ? 'would change' : 'was changed'} is in ${changesFile}`,
      ]),
    notes: toLines(notes),
    data: {
      kind: noun,
      file: isWithoutFile ? null : source.path,
      read,
      ...Object.fromEntries(outcomes.map((outcome) => [outcome, counts[outcome]])),
      repeated: counts.repeated,
      ...(options.load && { notLoaded: counts.notLoaded }),
      withoutValue: counts.withoutValue,
      otherVehicles: counts.otherVehicles,
      ...(noun === 'vehicles' &&
        verb !== 'erase' && {
          becameInsured,
          noLongerInsured,
        }),
      rejected,
      damaged,
      ...(verb === 'import' && { unknownFormat: { count: unknownFormat, first } }),
      seconds: Number(seconds.toFixed(3)),
      rowsPerSecond: Math.round(rate),
      interrupted: !isAtEnd,
      dryRun,
      rejectedFile,
      removedFile,
      damagedFile,
      changesFile: changesFile ?? null,
      ...(verb === 'undo' && { changedSinceFile }),
      ...(verb !== 'import' && { notThereFile }),
      ...(notThere && { registrationsNotThere: notThere, registrationsRejected }),
      reasons,
    },
    exitCode: !isAtEnd ? EXIT.interrupted : rejected + damaged + counts.changedSince > 0 ? EXIT.incomplete : EXIT.done,
  };
};
