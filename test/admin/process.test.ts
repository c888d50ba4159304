import { execFile } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { commandLine } from './command-line.ts';
import { vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { engine, file } = commandLine();

const admin = (...args: string[]) =>
  new Promise<{ exitCode: number | string | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, ['bin/admin.ts', ...args], (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });

describe('the CLI as a process', () => {
  const options = () => ['--dynamodb', engine().endpoint, '--tables', engine().names.keys.replace(/keys$/, '')];

  it('makes a key that its JSON shows, and nothing else on standard output', async () => {
    const { exitCode, stdout, stderr } = await admin(
      'keys',
      'create',
      '--name',
      'A',
      '--plan',
      'free',
      '--json',
      ...options(),
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'A', plan: 'free', key: expect.stringMatching(/^vvc_live_/) });
  });

  it('exits with 1 when rows were refused', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow(), vehicleRow({ registration: '' })));
    expect(await admin('import', 'vehicles', path, ...options())).toMatchObject({ exitCode: 1 });
  });

  it.each([
    ['keys', 'list'],
    ['import', 'vehicles', 'test/fixtures/samples/vehicles.csv'],
  ])('exits with 2 and one sentence when no database answers: %s %s', async (...args) => {
    const { exitCode, stdout, stderr } = await admin(...args, '--dynamodb', 'http://127.0.0.1:9');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(
      'error: no database answers at http://127.0.0.1:9: start it with "npm start", or name another with --dynamodb URL\n',
    );
  });

  it('exits with 2, a sentence and the usage when a command is missing or unknown', async () => {
    expect(await admin()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/Usage[\s\S]*a command is missing/),
    });
    expect(await admin('kyes')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/unknown command[\s\S]*Usage/),
    });
  });

  it('exits with 0 and documents its exit codes when help is asked for', async () => {
    expect(await admin('--help')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/Exit codes:/),
      stderr: '',
    });
  });
});
