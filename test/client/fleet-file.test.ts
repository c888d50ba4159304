import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FleetRow, findColumn, openFleet } from '../../client/src/command-line/fleet-file.ts';
import { useFolder } from '../support/use-folder.ts';

const inFolder = useFolder();

const ENCODED: Record<string, (text: string) => Buffer> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16, little endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16, big endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Windows-1252': (text) => Buffer.from(text, 'latin1'),
};
const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
// A line end refuses the file in the column of registrations, or beside a delimiter: right-or-refused.test.ts.
const cell = fc.array(fc.constantFrom('a', 'b', ' ', 'ü', ',', ';', '\t', '|', '"', '\n', '\r', '\r\n'), {
  maxLength: 5,
});
const row = fc.record({
  kind: fc.oneof({ weight: 4, arbitrary: fc.constant('good') }, fc.constantFrom('blank', 'long', 'short', 'stray')),
  cells: fc.tuple(cell, cell, cell),
  isQuoted: fc.boolean(),
  end: lineEnd,
});
const file = fc.record({
  encoding: fc.constantFrom(...Object.keys(ENCODED)),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  // With the longest names the header is longer than what is read at a time.
  padding: fc.constantFrom(0, 0, 70_000),
  column: fc.nat(2),
  end: lineEnd,
  rows: fc.array(row, { maxLength: 12 }),
});

it('The rows of a fleet file are as written, in every encoding, with any line ends, and malformed ones are named', async () => {
  const property = fc.asyncProperty(file, async ({ encoding, delimiter, padding, column, end, rows }) => {
    const write = (value: string, isQuoted: boolean) =>
      isQuoted || /["\r\n]/.test(value) || value.includes(delimiter) ? `"${value.replaceAll('"', '""')}"` : value;
    const header = [`a${'x'.repeat(padding)}`, 'b'].toSpliced(column, 0, 'registration');
    let text = `${delimiter === '|' ? `sep=|${end}` : ''}${header.join(delimiter)}${end}`;
    const expected: FleetRow[] = [];
    for (const { kind, cells: parts, isQuoted, end: rowEnd } of rows) {
      const line = text.split(/\r\n|\r|\n/).length;
      const texts = parts.map((part) => part.join(''));
      const oneLine = texts.map((text, nth) =>
        nth === column || text.includes(delimiter) ? text.replaceAll(/[\r\n]/g, '') : text,
      );
      const cells = kind === 'blank' ? ['', ' ', ''] : oneLine;
      const written = cells.map((value) => write(value, isQuoted && kind !== 'blank'));
      if (kind === 'stray') for (const row of [written, cells]) row.splice(0, 3, 'a', 'x"y', 'b');
      if (kind === 'long') written.push('more');
      if (kind === 'short') [written[0], cells[0]] = ['a', 'a'];
      if (kind === 'short') [written.length, cells.length] = [2, 2];
      text += `${written.join(delimiter)}${rowEnd}`;
      if (kind === 'long') expected.push({ line, cells: [...cells, 'more'], error: 'TOO_MANY_CELLS' });
      else if (cells.some((value) => value.trim() !== '')) expected.push({ line, cells });
    }
    const path = inFolder('fleet.csv');
    await writeFile(path, ENCODED[encoding]?.(text) ?? '');
    const fleet = await openFleet(path, (names) => findColumn(path, names, undefined));
    expect(fleet).toMatchObject({ header, columnIndex: column, delimiter, rowCount: expected.length, lineEnd: end });
    expect(await Array.fromAsync(fleet.rows())).toEqual(expected);
  });
  await fc.assert(property, { numRuns: 100 });
});
