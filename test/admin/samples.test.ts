import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { commandLine } from './command-line.ts';

const { load, stored, rejectedLines } = commandLine();

const sample = (name: string) => readFile(`test/fixtures/samples/${name}`);

describe('The sample files', () => {
  it('loads 60 vehicles and rejects 12 rows for 12 reasons', async () => {
    const result = await load('vehicles', 'vehicles.csv', await sample('vehicles.csv'));
    expect(result).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/ +81 +60 +12 /) });
    expect(result.stderr).toMatch(
      /^1 × registration must not be blank, first in line 52\n[\s\S]*\n12 rows were rejected; /,
    );
    const reasons = (await rejectedLines(result.path)).map((rejected) => rejected.reasons.join());
    expect([(await stored()).length, new Set(reasons).size]).toEqual([60, 12]);
  });

  it('loads 57 compliance records', async () => {
    const result = await load('compliance', 'compliance.ndjson', await sample('compliance.ndjson'));
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ +57 +57 +0 /), stderr: '' });
    expect(await stored('compliance')).toHaveLength(57);
  });
});
