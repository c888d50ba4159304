/** The changes file of a load: what it was, then a line for each record that it has changed, written ahead. */
import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readStored } from '../../core/schemas/record-schema.ts';
import { type LineChunk, readLines } from '../../csv/lines.ts';
import { readStart } from '../../csv/text.ts';
import { FileRefused } from '../command/command-result.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { type ChangeLine, type ChangesOutput, Load, type LoadPlace } from '../records/change-line.ts';
import { openBeside } from './output-file.ts';
import { readRow } from './rows.ts';
import { asFileFailure } from './source-file.ts';

/** An id that sorts by the time and is the name of a folder everywhere, such as `20261129T120000Z-1a2b3c4d`. */
export const newLoadId = (began: Date): string =>
  `${began.toISOString().replace(/\.\d+|[-:]/g, '')}-${randomBytes(4).toString('hex')}`;

const CHANGES_NAME = /^\d+\.ndjson$/;
/** Characters of a first line: names have at most some hundred. */
const MAX_HEADER = 10_000;

/** The load of a changes file; undefined for any other file. */
const findLoad = async (path: string): Promise<Load | undefined> => {
  const [given = ''] = (await readStart(path, MAX_HEADER)).toString().split('\n');
  return readStored(Load, readRow({ line: 1, given }).fields);
};

const readLoad = async (path: string): Promise<Load> => {
  const load = await findLoad(path);
  if (load !== undefined) return load;
  throw new FileRefused(`this is not a changes file, as "import" writes it; nothing was changed: ${path}`);
};

const UNREADABLE = ['EACCES', 'EPERM', 'EISDIR'];

/** A file that only its owner may read. What is written survives a kill of the process. */
const openChangesFile =
  (path: string) =>
  async (load: Load): Promise<ChangesOutput> => {
    // A dry run's file says nothing that counts. Nobody else can read a colleague's file.
    const isOfDryRun = async (name: string): Promise<boolean> => {
      try {
        return (await findLoad(name))?.dryRun === true;
      } catch (error) {
        if (UNREADABLE.includes(String((error as NodeJS.ErrnoException).code))) return false;
        throw asFileFailure(error, name);
      }
    };
    const [name, file] = await openBeside(path, 'changes', 'ndjson', isOfDryRun);
    const write = async (text: string): Promise<void> => {
      try {
        await file.appendFile(text);
      } catch (error) {
        throw asFileFailure(error, name);
      }
    };
    await write(`${JSON.stringify(load)}\n`);
    return { name, write, close: () => file.close() };
  };

/** Lines that arrive while others are written are written together, which keeps a large load fast. */
const lineWriter = ({ write }: ChangesOutput) => {
  let waiting = '';
  let written = Promise.resolve();
  return (lines: readonly ChangeLine[]): Promise<void> => {
    if (lines.length === 0) return written;
    const isFirst = waiting === '';
    waiting += lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    if (isFirst) {
      written = written.then(() => {
        const text = waiting;
        waiting = '';
        return write(text);
      });
      // Each caller gets the error. Until then Node would report it as unhandled.
      written.catch(() => undefined);
    }
    return written;
  };
};

type LoadFacts = Pick<Load, 'kind' | 'table' | 'dryRun'> & { readonly supplier: string | undefined };

/** Begins the changes file of a load, beside its source. */
export const beginChanges = async (
  path: string,
  { supplier, ...facts }: LoadFacts,
  place: LoadPlace | undefined,
  { deployment, now }: CommandContext,
) => {
  const began = now();
  const load = {
    load: place?.id ?? newLoadId(began),
    stack: deployment.address,
    ...facts,
    ...(supplier !== undefined && { supplier }),
    began: began.toISOString(),
  };
  const output = await (place?.openChanges ?? openChangesFile(path))(load);
  return { load, name: output.name, keepLines: lineWriter(output), close: output.close };
};

/** The files of a changes file: itself, or those of a folder, which are the objects of a load by the intake. */
const filesOf = async (path: string): Promise<readonly string[]> => {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => CHANGES_NAME.test(name)).sort();
  if (names.length === 0) throw new FileRefused(`the folder has no changes file; nothing was changed: ${path}`);
  const missing = names.findIndex((name, nth) => Number.parseInt(name, 10) !== nth + 1);
  if (missing >= 0) {
    throw new FileRefused(
      `before ${names[missing]} an object is missing, copy all of the load; nothing was changed: ${path}`,
    );
  }
  return names.map((name) => join(path, name));
};

/**
 * The lines of all files, numbered through, without the first line of each and without a last one that a kill has cut
 * off.
 */
async function* changeLines(files: readonly string[]): AsyncGenerator<LineChunk> {
  let [above, before] = [0, 0];
  for (const path of files) {
    let [count, bytes] = [0, 0];
    for await (const { lines, read } of readLines({ path, encoding: 'utf-8' })) {
      const whole = lines.filter(({ line, text, end }) => line > 1 && text !== '' && end !== '');
      count += lines.length;
      bytes = read;
      yield { lines: whole.map((one) => ({ ...one, line: above + one.line })), read: before + read };
    }
    above += count;
    before += bytes;
  }
}

/** A changes file as a source of NDJSON. A record has several lines when a write was attempted again. */
export const openChanges = async (given: string) => {
  const path = given.replace(/[/\\]$/, '');
  try {
    const files = await filesOf(path);
    const load = await readLoad(files[0] ?? path);
    let bytes = 0;
    for (const file of files) {
      if ((await readLoad(file)).load !== load.load) {
        throw new FileRefused(`the folder has the changes of several loads; nothing was changed: ${path}`);
      }
      bytes += (await stat(file)).size;
    }
    const readLines = () => changeLines(files);
    const source = { path, format: 'ndjson', encoding: 'utf-8', readLines, bytes, changed: '' } as const;
    return { load, source };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};
