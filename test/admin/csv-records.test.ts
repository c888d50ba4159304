import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvRecords } from '../../lib/admin/files/csv-records.ts';

const readAll = (text: string) => {
  const records = csvRecords(',');
  const lines = text.split('\n').map((line, index) => ({ number: index + 1, text: line, isCut: false }));
  if (text.endsWith('\n')) lines.pop();
  return [...records.add(lines), ...records.end()];
};

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const cell = fc.string({ unit: fc.constantFrom('a', 'Š', '🚗', ' ', ',', '"', '\n', '\r\n') });
const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 8 });

describe('csvRecords', () => {
  it('reads what a CSV library reads, whatever the cells hold', () => {
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n'), (rows, end) => {
        const text = rows.map((row) => row.map(quote).join(',') + end).join('');
        const expected = parse(text, { record_delimiter: end, relax_column_count: true });
        expect(readAll(text).map(({ fields }) => fields)).toEqual(expected);
        expect(expected).toEqual(rows);
      }),
    );
  });

  it('returns the line on which each record begins', () => {
    expect(readAll('a,b\n"c\n\nd",e\n\nf,g').map(({ line }) => line)).toEqual([1, 2, 6]);
  });

  it('returns every line once, however quotes are broken', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"'), minLength: 1 }), { maxLength: 12 });
    fc.assert(
      fc.property(lines, (written) => {
        const read = readAll(written.join('\n')).map(({ text }) => text);
        expect(read.join('\n')).toBe(written.join('\n'));
      }),
    );
  });

  it('loses no row after a quote that is never closed', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (before, after) => {
        const rows = [...Array(before).fill('a,b'), '"broken,b', ...Array(after).fill('a,b')];
        const read = readAll(rows.join('\n'));
        expect(read).toHaveLength(rows.length);
        expect(read.filter(({ issue }) => issue !== undefined)).toMatchObject([{ line: before + 1 }]);
      }),
    );
  });
});
