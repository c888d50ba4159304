import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillDomain } from '../support/content.ts';
import { commandLine, journalOf } from './command-line.ts';
import { manyVehicles, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, pathOf, engine, interruptedRun } = commandLine();

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

    it('a journal', async () => {
      const path = await file('v.csv', manyVehicles('MODE'));
      if (isThere) await leave(journalOf(path));
      await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
      expect(await modeOf(journalOf(path))).toBe('600');
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

it('A temporary journal is removed by the next import when its process has ended, and kept while it runs', async () => {
  const path = await file('v.csv', vehiclesCsv(vehicleRow()));
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const running = `v.csv.import.json.${process.ppid}.part`;
  const others = ['v.csv.import.json.part', 'w.csv.import.json.1.part'];
  for (const name of [`v.csv.import.json.${ended}.part`, running, ...others]) await leave(pathOf(name));
  expect(await run(['import', 'vehicles', path])).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await readdir(pathOf('.'))).toSorted()).toEqual([...others, running, 'v.csv'].toSorted());
});
