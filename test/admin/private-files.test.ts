import { existsSync } from 'node:fs';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillDomain } from '../support/content.ts';
import { commandLine, stagingFilesOf } from './command-line.ts';
import { manyVehicles, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, pathOf, engine, atCall, countedRun } = commandLine();

/** Leaves a file that everybody may read and write. */
const leave = async (path: string): Promise<void> => {
  await writeFile(path, 'earlier');
  await chmod(path, 0o666);
};
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('With a umask that removes no permission', () => {
  let umask: number;
  beforeAll(() => {
    umask = process.umask(0);
  });
  afterAll(() => void process.umask(umask));

  describe.each([false, true])('only the owner may read (an earlier file was there: %s)', (isThere) => {
    it('a file of rejected rows', async () => {
      const path = await file('v.csv', vehiclesCsv(vehicleRow({ year: 'x' })));
      if (isThere) await leave(`${path}.rejected.ndjson`);
      await run(['import', 'vehicles', path]);
      expect(await modeOf(`${path}.rejected.ndjson`)).toBe('600');
    });

    it('a staging file and its log', async () => {
      const path = await file('v.csv', manyVehicles('MODE'));
      const modes: Promise<string>[] = [];
      atCall(1, 'BatchWriteItem', () => {
        for (const name of stagingFilesOf(path)) modes.push(modeOf(name), modeOf(`${name}-wal`));
      });
      await countedRun(['import', 'vehicles', path]);
      expect(await Promise.all(modes)).toEqual(['600', '600']);
    });

    it('an export', async () => {
      await fillDomain(engine().client, engine().names.content, `mode-${isThere}.example`, 3);
      const path = pathOf('all.ndjson');
      if (isThere) for (const each of [path, `${path}.part`]) await leave(each);
      expect(await run(['export', 'content', path])).toMatchObject({ exitCode: 0 });
      expect([await modeOf(path), existsSync(`${path}.part`)]).toEqual(['600', false]);
    });
  });
});
