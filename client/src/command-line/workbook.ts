import { readFile, stat } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { type CellValue, streamXlsxRows } from 'hucre/xlsx';
import type { CsvRow } from '../../../csv/read-csv.ts';
import { readStart, UnreadableFile } from '../../../csv/text.ts';
import { CannotRun, quoted } from './failure.ts';

/** Bytes of a workbook, as a file and with all its parts inflated: 100,000 rows of eight columns have 5 MB and 36 MB. */
const MAX_FILE_BYTES = 50_000_000;
const MAX_INFLATED_BYTES = 300_000_000;

const ZIP = '504b0304';
const TOO_LARGE = 'the workbook is too large: save the sheet as "CSV UTF-8"';

/** Whether a file is a ZIP, as workbooks of .xlsx are. */
export const isZip = async (path: string): Promise<boolean> =>
  (await readStart(path, ZIP.length / 2)).toString('hex') === ZIP;

interface Part {
  readonly name: string;
  readonly text: () => string;
}

/**
 * The parts of a ZIP file by its directory (APPNOTE.TXT, 4.3.12), once each has its name and its checksum there:
 * the reader of sheets checks neither.
 * @throws UnreadableFile when they are too large; another error when the file is damaged
 */
const readParts = (data: Buffer): Part[] => {
  const end = data.lastIndexOf(Buffer.from('504b0506', 'hex'));
  let at = data.readUInt32LE(end + 16);
  let total = 0;
  return Array.from({ length: data.readUInt16LE(end + 10) }, () => {
    const [method, packed, size, begin] = [
      data.readUInt16LE(at + 10),
      ...[20, 24, 42].map((field) => data.readUInt32LE(at + field)),
    ] as [number, number, number, number];
    const lengths = [28, 30, 32].map((field) => data.readUInt16LE(at + field)) as [number, number, number];
    total += size;
    if (total > MAX_INFLATED_BYTES) throw new UnreadableFile(TOO_LARGE);
    const start = begin + 30 + data.readUInt16LE(begin + 26) + data.readUInt16LE(begin + 28);
    const content = data.subarray(start, start + packed);
    const inflate = () => (method === 0 ? content : inflateRawSync(content, { maxOutputLength: Math.max(size, 1) }));
    const name = data.toString('utf8', at + 46, at + 46 + lengths[0]);
    const isNamed = data.toString('utf8', begin + 30, begin + 30 + lengths[0]) === name;
    if (!isNamed || crc32(inflate()) !== data.readUInt32LE(at + 16)) throw new Error('A part is damaged.');
    at += 46 + lengths[0] + lengths[1] + lengths[2];
    return { name, text: () => inflate().toString() };
  });
};

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The sheets in their order, each with its name. Reads nothing else: the reader has the texts of all sheets read first. */
const readSheets = (parts: readonly Part[]): { name: string; isHidden: boolean }[] => {
  const workbook = parts.find(({ name }) => name === 'xl/workbook.xml');
  if (workbook === undefined) throw new Error('It is no workbook.');
  const found = workbook.text().matchAll(/<(?:\w+:)?sheet((?:\s+[\w:]+\s*=\s*(?:"[^"]*"|'[^']*'))+)/g);
  return [...found].map(([, attributes = '']) => {
    const given = [...attributes.matchAll(/\s([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
    const values = new Map(given.map(([, attribute, quoted, apostrophed]) => [attribute, quoted ?? apostrophed ?? '']));
    const name = (values.get('name') ?? '').replace(/&(#?\w+);/g, (text, entity: string) =>
      entity.startsWith('#') ? String.fromCodePoint(Number(`0${entity.slice(1)}`)) : (ENTITIES[entity] ?? text),
    );
    return { name, isHidden: /hidden/i.test(values.get('state') ?? '') };
  });
};

const dateText = (date: Date): string => {
  if (Number.isNaN(date.getTime())) return '#####';
  return date.toISOString().slice(0, 19).replace('T00:00:00', '').replace('T', ' ');
};

/** The value of a cell, with the 15 digits that spreadsheets show of a number. */
const cellText = (value: CellValue): string => {
  if (value instanceof Date) return dateText(value);
  if (typeof value === 'number') return `${Number(value.toPrecision(15))}`;
  return typeof value === 'boolean' ? `${value}`.toUpperCase() : `${value ?? ''}`;
};

/** The rows of a sheet that have text, at most so many, with as many cells each. */
const readSheet = async (data: Uint8Array, sheet: string, maxRows = 0): Promise<CsvRow[]> => {
  const found: { line: number; row: number; cells: string[] }[] = [];
  try {
    for await (const { index, values } of streamXlsxRows(data, { sheet, maxRows })) {
      const cells = values.map(cellText);
      while (cells.at(-1)?.trim() === '') cells.pop();
      if (cells.length > 0) found.push({ line: index + 1, row: index + 1, cells });
    }
  } catch (error) {
    // Such a sheet is a chart.
    if (!/missing worksheet file/.test((error as Error).message)) throw error;
  }
  const width = found.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  for (const { cells } of found) while (cells.length < width) cells.push('');
  return found;
};

export interface Sheet {
  readonly name: string;
  readonly rows: readonly CsvRow[];
  /** The names of the sheets that are hidden, and so are left out. */
  readonly hidden: readonly string[];
}

interface SheetOptions {
  /** The name of the sheet; when absent, it is the only one that is visible and has a cell with a wanted name. */
  readonly sheet?: string | undefined;
  readonly isWanted: (name: string) => boolean;
  /** Number of rows in which the wanted name is searched. */
  readonly searched: number;
}

/** @throws CannotRun with the sheets from which to choose */
const chooseSheet = async (
  path: string,
  data: Uint8Array,
  visible: readonly string[],
  { isWanted, searched }: SheetOptions,
): Promise<string> => {
  const filled: string[] = [];
  const found: string[] = [];
  for (const name of visible) {
    const rows = visible.length === 1 ? [] : await readSheet(data, name, searched);
    if (rows.length > 0) filled.push(name);
    if (rows.some(({ cells }) => cells.some(isWanted))) found.push(name);
  }
  const choice = [found, filled].find(({ length }) => length > 0) ?? visible;
  const [only, ...others] = choice;
  if (only !== undefined && others.length === 0) return only;
  const which = choice === found ? 'several sheets' : 'no sheet';
  throw new CannotRun(
    `${path} has ${which} with a column of registrations: choose one of ${quoted(choice)} with --sheet.`,
  );
};

/** @throws CannotRun when there is none, or a choice; UnreadableFile when the file is no workbook of .xlsx */
export const readWorkbook = async (path: string, options: SheetOptions): Promise<Sheet> => {
  if ((await stat(path)).size > MAX_FILE_BYTES) throw new UnreadableFile(TOO_LARGE);
  const data = await readFile(path);
  try {
    const sheets = readSheets(readParts(data));
    const wanted = options.sheet === undefined ? undefined : sheets.find(({ name }) => name === options.sheet);
    if (options.sheet !== undefined && wanted === undefined) {
      const names = quoted(sheets.map(({ name }) => name));
      throw new CannotRun(
        `${path} has no sheet ${JSON.stringify(options.sheet)}: choose one of ${names} with --sheet.`,
      );
    }
    const visible = sheets.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
    const name = wanted?.name ?? (await chooseSheet(path, data, visible, options));
    const hidden = sheets.filter((sheet) => sheet.isHidden && sheet.name !== name).map((sheet) => sheet.name);
    return { name, rows: await readSheet(data, name), hidden };
  } catch (error) {
    if (error instanceof CannotRun || error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(
      'the file is no Excel workbook (.xlsx), or is damaged: open it and save the sheet as "CSV UTF-8"',
    );
  }
};
