import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startLocalService } from '../../lib/local/service.ts';
import { runCommand } from '../support/run-command.ts';
import { command } from './installed-package.ts';

const page = readFileSync(new URL('../../docs/integration.md', import.meta.url), 'utf8');
const scripts = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, script = '']) => script);

it('The guide’s check of a spreadsheet works as it is shown', async () => {
  const service = await startLocalService({ port: 0, dynamodbPort: 0 });
  const cwd = await mkdtemp(join(tmpdir(), 'guide-'));
  try {
    const [script = ''] = scripts.filter((one) => one.includes('vehicle-verification check'));
    const PATH = `${dirname(command)}${delimiter}${process.env.PATH}`;
    const env = { PATH, API_ORIGIN: service.origin, API_KEY: service.keys.premium };
    expect(await runCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd, env })).toBe(
      'result.csv: 2 rows, 1 without an answer.',
    );
    const [header, known, unknown] = (await readFile(join(cwd, 'result.csv'), 'utf8')).split('\n');
    expect(header).toBe('registration,depot,insured,policy_number,insurer,cover,valid_from,valid_to,suggestion,error');
    expect(known).toMatch(/^AB12 CDE,North,true,/);
    expect(unknown).toBe('ZZ99ZZZ,South,,,,,,,,VEHICLE_NOT_FOUND');
  } finally {
    await service.stop();
    await rm(cwd, { recursive: true });
  }
});
