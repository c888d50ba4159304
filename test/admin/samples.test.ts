import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { commandLine } from './command-line.ts';

const { run, engine, pathOf, rejectedLines } = commandLine();

const sample = async (name: string): Promise<string> => {
  await copyFile(join('test', 'fixtures', 'samples', name), pathOf(name));
  return pathOf(name);
};

const stored = async (table: 'vehicles' | 'compliance') => {
  const { Items = [] } = await engine().client.send(new ScanCommand({ TableName: engine().names[table] }));
  return Items;
};

describe('The sample files', () => {
  it('loads 60 vehicles, rejects 12 rows for 12 reasons, and changes nothing the second time', async () => {
    const path = await sample('vehicles.csv');
    expect(await run(['import', 'vehicles', path])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/rows read +vehicles loaded +rows rejected.*\n +81 +60 +12 /),
      stderr: `12 rows were rejected; the reasons are in ${path}.rejected.ndjson\n`,
    });
    const rejected = await rejectedLines(path);
    expect(new Set(rejected.map(({ reasons }) => reasons.join())).size).toBe(12);
    const first = await stored('vehicles');
    expect(first).toHaveLength(60);
    await run(['import', 'vehicles', path]);
    expect(await stored('vehicles')).toEqual(first);
    expect(await rejectedLines(path)).toEqual(rejected);
  });

  it('loads 57 compliance records', async () => {
    expect(await run(['import', 'compliance', await sample('compliance.ndjson')])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/ +57 +57 +0 /),
      stderr: '',
    });
    expect(await stored('compliance')).toHaveLength(57);
  });
});
