/** The changes file of a load: what it was, then a line for each record that it has changed, written ahead. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readStored } from '../../core/schemas/record-schema.ts';
import { readLines } from '../../csv/lines.ts';
import { readStart } from '../../csv/text.ts';
import { FileRefused } from '../command/command-result.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { type ChangeLine, type ChangesOutput, isChangeLine, Load, type LoadPlace } from '../records/change-line.ts';
import { nameBeside, PRIVATE_FILE } from './output-file.ts';
import { asFileFailure, type SourceFile } from './source-file.ts';

/** An id that sorts by the time and is the name of a folder everywhere, such as `20261129T120000Z-1a2b3c4d`. */
export const newLoadId = (began: Date): string =>
  `${began.toISOString().replace(/\.\d+|[-:]/g, '')}-${randomBytes(4).toString('hex')}`;

const LINE_FEED = 10;
const CHANGES_NAME = /^\d+\.ndjson$/;
/** Characters of a first line: names have at most some hundred. */
const MAX_HEADER = 10_000;

const readLoad = async (path: string): Promise<Load> => {
  const [first = ''] = (await readStart(path, MAX_HEADER)).toString().split('\n');
  try {
    const load = readStored(Load, JSON.parse(first));
    if (load !== undefined) return load;
  } catch {
    // It is refused below.
  }
  throw new FileRefused(`this is not a changes file, as "import" writes it; nothing was changed: ${path}`);
};

const isOfDryRun = async (name: string): Promise<boolean> => {
  try {
    return (await readLoad(name)).dryRun;
  } catch (error) {
    if (error instanceof FileRefused) return false;
    throw error;
  }
};

/** Opens a new file; undefined when there is one of this name. */
const openAbsent = (name: string): Promise<FileHandle | undefined> =>
  open(name, 'wx', PRIVATE_FILE.mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw asFileFailure(error, name);
    return undefined;
  });

/** Opens `PATH.changes.ndjson`, or `PATH.changes-2.ndjson` and so on when there is one, unless it is of a dry run. */
const openNew = async (path: string): Promise<readonly [name: string, file: FileHandle]> => {
  for (let nth = 1; ; nth += 1) {
    const name = nameBeside(path, 'changes', 'ndjson', nth);
    let file = await openAbsent(name);
    while (file === undefined && (await isOfDryRun(name))) {
      await rm(name);
      file = await openAbsent(name);
    }
    if (file !== undefined) return [name, file];
  }
};

/** A file that only its owner may read. What is written survives a kill of the process. */
const openChangesFile =
  (path: string) =>
  async (load: Load): Promise<ChangesOutput> => {
    const [name, file] = await openNew(path);
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

/** A changes file as a source of NDJSON, without its first lines and without a last line that a kill has cut off. */
export const openChanges = async (given: string): Promise<{ readonly load: Load; readonly source: SourceFile }> => {
  const path = given.replace(/[/\\]+$/, '');
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
    async function* readBytes() {
      let read = 0;
      for (const file of files) {
        let held: Buffer = Buffer.alloc(0);
        let isFirst = true;
        for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
          read += chunk.length;
          const all = Buffer.concat([held, chunk]);
          const end = all.lastIndexOf(LINE_FEED) + 1;
          // An empty line in place of the first one keeps the numbers of lines.
          const begin = isFirst ? all.indexOf(LINE_FEED) : 0;
          held = all.subarray(end);
          if (end === 0) continue;
          isFirst = false;
          yield { bytes: all.subarray(begin, end), read };
        }
      }
    }
    return { load, source: { path, format: 'ndjson', encoding: 'utf-8', readBytes, bytes, changed: '' } };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The lines of a changes file. A record has several when a write was attempted again: the last one counts. */
export async function* readChanges(source: SourceFile): AsyncGenerator<ChangeLine> {
  for await (const { lines } of readLines(source)) {
    for (const { line, text } of lines) {
      if (text === '') continue;
      const found = readJson(text);
      if (!isChangeLine(found)) throw new FileRefused(`line ${line} is not a line of a changes file: ${source.path}`);
      yield found;
    }
  }
}
