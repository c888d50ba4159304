/**
 * Runs the commands of docs/offices.md with a stub of the service: in cmd, and in PowerShell with the policy that
 * Windows has by default. On other systems it runs them in bash, without `.cmd`.
 */
import assert from 'node:assert/strict';
import { execFile, execSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { listen } from '../../../local/server.ts';

const ROOT = join(import.meta.dirname, '../../..');
const isWindows = process.platform === 'win32';

const [page = ''] = readFileSync(join(ROOT, 'docs/offices.md'), 'utf8').split('\n## Every night\n');
const lines = [...page.matchAll(/^```powershell\r?\n(.*?)^```/gms)]
  .flatMap(([, block = '']) => block.trimEnd().split(/\r?\n/))
  .filter((line) => isWindows || !line.startsWith('setx '));
assert.ok(lines.length >= 4, 'The page has its commands in blocks of PowerShell.');

const SHELLS: Readonly<Record<string, (line: string) => [program: string, args: string[]]>> = isWindows
  ? {
      cmd: (line) => ['cmd.exe', ['/d', '/s', '/c', `"${line}"`]],
      powershell: (line) => [
        'powershell.exe',
        ['-NoProfile', '-ExecutionPolicy', 'Restricted', '-Command', `${line}; exit $LASTEXITCODE`],
      ],
    }
  : { bash: (line) => ['bash', ['-c', line.replaceAll('.cmd ', ' ')]] };

/** A vehicle is insured today and not renewed, but for one that is not insured. */
const entryOf = (registration: string, date: string | undefined) => {
  const policy = { number: 'P-1', insurer: 'Acme', type: 'Full', validFrom: '2026-01-01', validTo: '2026-12-31' };
  const insured = date === undefined && registration !== 'KR08NIL';
  return { registration, insured, status: insured ? 'IN_FORCE' : 'LAPSED', policy };
};
const service = createServer(async (request, response) => {
  response.setHeader('Content-Type', 'application/json');
  const answer = async () => {
    if (request.url?.endsWith('/usage')) return { limits: { registrationsPerBulk: 1_000 } };
    if (request.method === 'GET') return entryOf('AB12CDE', undefined);
    const { registrations, date } = (await json(request)) as { registrations: string[]; date?: string };
    return { results: registrations.map((registration) => entryOf(registration, date)) };
  };
  response.end(JSON.stringify(await answer()));
});
const { origin, close } = await listen(service, 0, '127.0.0.1');
const env = {
  ...process.env,
  VEHICLE_VERIFICATION_BASE_URL: origin,
  VEHICLE_VERIFICATION_API_KEY: 'vvc_test_windows',
};

const packed = mkdtempSync(join(tmpdir(), 'package-'));
execSync(`npm ci --no-audit --no-fund && npm pack --pack-destination "${packed}"`, { cwd: join(ROOT, 'client') });
const [tarball = ''] = readdirSync(packed);

for (const [shell, commandOf] of Object.entries(SHELLS)) {
  const folder = mkdtempSync(join(tmpdir(), `offices-${shell}-`));
  copyFileSync(join(packed, tarball), join(folder, tarball));
  copyFileSync(join(ROOT, 'test/fixtures/workbooks/excel.xlsx'), join(folder, 'fleet.xlsx'));
  for (const line of lines) {
    const [program, args] = commandOf(line);
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
      const options = { cwd: folder, env, windowsVerbatimArguments: shell === 'cmd' };
      execFile(program, args, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : error.code, output: stdout + stderr }),
      );
    });
    process.stdout.write(`${shell}> ${line}\n${output}`);
    // Some rows of the list have no registration.
    assert.equal(code, line.includes(' check ') ? 1 : 0, `${line} ended with ${code}.`);
  }
  const written = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  assert.deepEqual(written, ['changes.csv', 'ending.csv', 'not-insured.csv', 'result.csv']);
  assert.match(readFileSync(join(folder, 'not-insured.csv'), 'utf8'), /KR08NIL.*not insured.*LAPSED.*2026-12-31/);
  rmSync(folder, { recursive: true });
}
rmSync(packed, { recursive: true });
await close();
