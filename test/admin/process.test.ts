import { execFile } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { commandLine, failure } from './command-line.ts';
import { vehicleRow, vehiclesCsv } from './import-files.ts';

const { engine, file } = commandLine();

const admin = (...args: string[]) =>
  new Promise<{ exitCode: number | string | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, ['bin/admin.ts', ...args], (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });

describe('The CLI as a process', () => {
  const options = () => ['--dynamodb', engine().endpoint, '--tables', engine().names.keys.replace(/keys$/, '')];

  it('exits with 0 and writes the JSON of a new key, and nothing else, to standard output', async () => {
    const args = ['keys', 'create', '--name', 'A', '--plan', 'free', '--json', ...options()];
    const { stdout, ...ended } = await admin(...args);
    expect(ended).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'A', plan: 'free', key: expect.stringMatching(/^vvc_live_/) });
  });

  it('exits with 1 when rows were rejected', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow(), vehicleRow({ registration: '' })));
    expect(await admin('import', 'vehicles', path, ...options())).toMatchObject({ exitCode: 1 });
  });

  const noDatabase =
    'error: no database answers at http://127.0.0.1:9: start it with "npm start", or name another with --dynamodb URL\n';
  it.each<[string[], RegExp | string]>([
    [['keys', 'list', '--dynamodb', 'http://127.0.0.1:9'], noDatabase],
    [['import', 'vehicles', 'test/fixtures/samples/vehicles.csv', '--dynamodb', 'http://127.0.0.1:9'], noDatabase],
    [[], 'error: a command is missing, one of keys, import, remove, export, content; see --help\n'],
    [
      ['keys'],
      'error: a command is missing, one of create, list, rotate, revoke, update, usage, restore; see --help\n',
    ],
    [['kyes'], "error: unknown command 'kyes'; did you mean keys? See --help\n"],
    [['import', 'boats', 'x.csv'], "error: unknown command 'boats'; see --help\n"],
    [['kyes', '--json'], `{"error":"unknown command 'kyes'; did you mean keys? See --help","exitCode":2}\n`],
  ])('exits with 2 and a sentence: %j', async (args, sentence) => {
    expect(await admin(...args)).toEqual(failure(sentence));
  });

  it('exits with 0 and documents its exit codes for --help', async () => {
    const help = { exitCode: 0, stdout: expect.stringMatching(/Exit codes:/), stderr: '' };
    expect(await admin('--help')).toEqual(help);
  });
});
