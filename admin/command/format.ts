import Table from 'cli-table3';
import { InvalidArgumentError } from 'commander';
import { codePointOf } from '../../core/code-point.ts';
import { isCalendarDate } from '../../core/runtime/clock.ts';

const MAX_LENGTH = 160;

/** Makes text of a file or a command line safe to print: truncated, with control and format characters replaced. */
export const printable = (text: string, maxLength = MAX_LENGTH): string =>
  (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');

/** Characters that control a terminal (C0, DEL, C1) or turn the direction of text (embeddings, overrides, isolates). */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Text with its control and direction characters as escapes of JSON, such as \u202E. */
export const escapeControls = (text: string): string =>
  text.replace(CONTROL, (character) => codePointOf(character).replace('U+', '\\u'));

export const exampleOf = (line: string): string => `\nExample:\n  npm run --silent admin -- ${line}`;

/** Joins the lines that are not empty, each with its line feed. */
export const toLines = (lines: readonly (string | false | null | undefined)[]): string =>
  lines
    .filter(Boolean)
    .map((line) => `${line}\n`)
    .join('');

export const formatNumber = (value: number): string => Math.round(value).toLocaleString('en-GB');

/** The library's borders, which are omitted so that `grep` and `cut` work on the output. */
const SIDES = ['top', 'bottom', 'mid', 'left', 'right'].flatMap((side) => [side, `${side}-mid`]);
const LINES = [...SIDES, 'top-left', 'top-right', 'bottom-left', 'bottom-right'];
const CHARACTERS = { ...Object.fromEntries(LINES.map((name) => [name, ''])), middle: '  ' };

/** A table with a head and a line per row, without colours. Ends with a line feed. */
export const readableTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  align: 'left' | 'right' = 'left',
): string => {
  const table = new Table({
    head: [...head],
    chars: CHARACTERS,
    colAligns: head.map(() => align),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  const lines = table.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
};

/** A day that somebody has written as an argument. */
export const parseDay = (text: string): string => {
  if (isCalendarDate(text)) return text;
  throw new InvalidArgumentError('Write a day as YYYY-MM-DD.');
};
