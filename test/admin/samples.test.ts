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
  const items = [];
  let from: Record<string, never> | undefined;
  do {
    const command = new ScanCommand({ TableName: engine().names[table], ...(from && { ExclusiveStartKey: from }) });
    const page = await engine().client.send(command);
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey as typeof from;
  } while (from);
  return items;
};

describe("an operator's real files", () => {
  it('loads 5,000 vehicles, refuses 12 rows for 12 reasons, and changes nothing the second time', async () => {
    const path = await sample('vehicles.csv');
    expect(await run(['import', 'vehicles', path])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/rows read +vehicles loaded +rows rejected.*\n +5,554 +5,000 +12 /),
      stderr: `12 rows were rejected; the reasons are in ${path}.rejected.ndjson\n`,
    });
    const refused = await rejectedLines(path);
    expect(new Set(refused.map(({ reasons }) => reasons.join())).size).toBe(12);
    const first = await stored('vehicles');
    expect(first).toHaveLength(5_000);
    await run(['import', 'vehicles', path]);
    expect(await stored('vehicles')).toEqual(first);
    expect(await rejectedLines(path)).toEqual(refused);
  });

  it('loads 4,774 compliance records', async () => {
    expect(await run(['import', 'compliance', await sample('compliance.ndjson')])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/ +4,774 +4,774 +0 /),
      stderr: '',
    });
    expect(await stored('compliance')).toHaveLength(4_774);
  });
});
