import { addLine, newCsvRecord } from './csv-record.ts';
import { type Line, MAX_HELD_LENGTH } from './lines.ts';

/** A CSV record, or a line that belongs to no valid record, with the reason. */
export interface CsvText {
  readonly line: number;
  readonly text: string;
  readonly fields: readonly string[];
  readonly issue?: string;
}

export const CUT_LINE_ISSUE = `the line is longer than ${MAX_HELD_LENGTH.toLocaleString('en-GB')} characters`;
const UNCLOSED_ISSUE = 'the row opens a quoted field that is not closed as it should be';

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

/**
 * Joins lines to CSV records. An unclosed quote would make the rest of the file one field: the line that opens it is returned
 * with an issue, and the next lines are read again. No CSV library can go back like that.
 */
export const csvRecords = () => {
  let held: Line[] = [];
  let heldLength = 0;
  let record = newCsvRecord();

  const reset = (): Line[] => {
    const lines = held;
    held = [];
    heldLength = 0;
    record = newCsvRecord();
    return lines;
  };

  /** Returns the first pending line with an issue; the others must be read again. */
  const recover = (issue: string, out: CsvText[]): Line[] => {
    const [first, ...others] = reset();
    const { fields } = first === undefined ? newCsvRecord() : beginningOf(first);
    if (first) {
      out.push({
        line: first.number,
        text: withoutReturn(first.text),
        fields,
        issue: others.length > 0 ? UNCLOSED_ISSUE : issue,
      });
    }
    return others;
  };

  const beginningOf = (line: Line) => {
    const beginning = newCsvRecord();
    addLine(beginning, line.text);
    return beginning;
  };

  const finish = (out: CsvText[]): void => {
    const { fields } = record;
    const lines = reset();
    const text = lines.length === 1 ? (lines[0]?.text ?? '') : lines.map((line) => line.text).join('\n');
    out.push({ line: lines[0]?.number ?? 0, text: withoutReturn(text), fields });
  };

  /** Adds one line; returns the lines that must be read again. */
  const take = (line: Line, out: CsvText[]): Line[] => {
    if (held.length === 0 && line.text.trim() === '') return [];
    held.push(line);
    heldLength += line.text.length;
    if (line.isCut) return recover(CUT_LINE_ISSUE, out);
    const progress = addLine(record, line.text);
    if (progress === 'complete') finish(out);
    else if (progress !== 'open') return recover(progress.issue, out);
    else if (heldLength > MAX_HELD_LENGTH) return recover(UNCLOSED_ISSUE, out);
    return [];
  };

  const takeAll = (lines: readonly Line[], out: CsvText[]): void => {
    const waiting = [...lines].reverse();
    for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
      const again = take(line, out);
      for (let index = again.length - 1; index >= 0; index -= 1) waiting.push(...again.slice(index, index + 1));
    }
  };

  return {
    add: (lines: readonly Line[]): CsvText[] => {
      const out: CsvText[] = [];
      takeAll(lines, out);
      return out;
    },
    end: (): CsvText[] => {
      const out: CsvText[] = [];
      while (held.length > 0) takeAll(recover(UNCLOSED_ISSUE, out), out);
      return out;
    },
  };
};
