import { formatNumber, printable } from '../command/format.ts';
import type { RejectedRow, Row } from '../files/rows.ts';

/** Rows that were rejected for the same reason. */
interface RejectionReason {
  /** The reason without numbers of lines, which differ from row to row. */
  readonly reason: string;
  /** What to do about it. */
  readonly advice: string | undefined;
  rows: number;
  readonly firstLine: number;
  /** What the first row has in the field; absent when the reason is not about one value. */
  readonly firstValue: string | undefined;
}

/** Limits memory: names of unknown fields may differ in every row. */
const MAX_REASONS = 1_000;
const MAX_SHOWN = 20;
const MAX_VALUE_LENGTH = 40;

/** A registration is personal data: it is in the file of rejected rows only. */
const PRIVATE_FIELDS = new Set(['registration']);

/** The value of a field such as `valid_from` or `policies[0].validFrom`. */
const valueAt = (fields: Row['fields'], name: string): string | undefined => {
  if (PRIVATE_FIELDS.has(name)) return undefined;
  let value: unknown = fields;
  for (const part of name.split(/[.[\]]+/).filter(Boolean)) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  const isPlain = (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';
  return isPlain ? printable(String(value), MAX_VALUE_LENGTH) : undefined;
};

/** A reason as it is for all rows that have it, with its first row. What comes after a semicolon is advice. */
const firstOf = (general: string, text: string, { line, fields }: Row): RejectionReason => {
  const [what = '', advice] = general.split('; ');
  const [, name] = /^(\S+): /.exec(text) ?? [];
  return {
    reason: printable(what.replace(/^(\S+): /, '$1 ')),
    advice: advice && printable(advice),
    rows: 0,
    firstLine: line,
    firstValue: name === undefined ? undefined : valueAt(fields, name),
  };
};

/** Counts why rows are rejected, in memory that does not grow with the file. */
export const rejectionReasons = () => {
  const reasons = new Map<string, RejectionReason>();
  const sorted = () => [...reasons.values()].toSorted((a, b) => b.rows - a.rows || a.firstLine - b.firstLine);

  return {
    /** Rows come in the order of the file. */
    add: ({ row, reasons: texts }: RejectedRow): void => {
      const general = (text: string) => text.replace(/\bline \d+/g, 'another line').replace(/\[\d+\]/g, '[]');
      for (const [key, text] of new Map(texts.map((text) => [general(text), text]))) {
        const reason = reasons.get(key) ?? firstOf(key, text, row);
        reason.rows += 1;
        if (reasons.size < MAX_REASONS) reasons.set(key, reason);
      }
    },

    /** Most frequent first. */
    sorted,

    /** A line for each reason; advice is below the first reason that has it. */
    toText: (): string => {
      const shown = sorted().slice(0, MAX_SHOWN);
      const width = formatNumber(shown[0]?.rows ?? 0).length;
      const lines = shown.flatMap(({ rows, reason, advice, firstLine, firstValue }) => [
        `${formatNumber(rows).padStart(width)} × ${reason}, first in line ${firstLine}${firstValue ? `: ${firstValue}` : ''}`,
        ...(advice && shown.find((one) => one.advice === advice)?.reason === reason
          ? [`${' '.repeat(width + 3)}(${advice})`]
          : []),
      ]);
      const more = reasons.size - shown.length;
      if (more > 0) lines.push(`… and ${formatNumber(more)} more reasons`);
      return lines.map((line) => `${line}\n`).join('');
    },
  };
};

export type RejectionReasons = ReturnType<typeof rejectionReasons>;
