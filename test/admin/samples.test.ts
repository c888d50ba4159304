import { readFile } from 'node:fs/promises';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { commandLine } from './command-line.ts';

const { run, load, engine, rejectedLines } = commandLine();

const sample = (name: string) => readFile(`test/fixtures/samples/${name}`);
const stored = async (table: 'vehicles' | 'compliance') =>
  (await engine().client.send(new ScanCommand({ TableName: engine().names[table] }))).Items;

describe('The sample files', () => {
  it('loads 60 vehicles, rejects 12 rows for 12 reasons, and changes nothing the second time', async () => {
    const { path, ...result } = await load('vehicles', 'vehicles.csv', await sample('vehicles.csv'));
    expect(result).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(/rows read +vehicles loaded +rows rejected.*\n +81 +60 +12 /),
      stderr: expect.stringMatching(
        /^1 × registration must not be blank, first in line 52\n[\s\S]*\n12 rows were rejected; /,
      ),
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
    const result = await load('compliance', 'compliance.ndjson', await sample('compliance.ndjson'));
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ +57 +57 +0 /), stderr: '' });
    expect(await stored('compliance')).toHaveLength(57);
  });
});
