import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { dayAfter, londonDate } from '../../../core/runtime/clock.ts';
import { runCommand } from '../../support/program.ts';
import { installationFolder } from './installed-package.ts';
import { startStubService, useCommandLine } from './use-client.ts';

const { file, folder } = useCommandLine();

const insured = (days: number) => ({
  insured: true,
  policy: { number: 'P', validTo: dayAfter(londonDate(new Date()), days) },
});
const UNINSURED = { insured: false, policy: null };
const UNKNOWN = { insured: false, code: 'VEHICLE_NOT_FOUND', error: '…' };
/** An entry that is no answer: its row is not read. */
const FAULTY = {};
const FIRST = { A1: insured(300), B2: UNINSURED, C3: UNKNOWN, D4: insured(31) };
const SECOND = { ...FIRST, A1: UNINSURED };
const THIRD = { ...SECOND, D4: insured(30) };
const LAST = { ...THIRD, D4: UNINSURED };

/** What is so in a night, how the job ends, what its mail says, and headers from that night on. */
const NIGHTS: readonly (readonly [vehicles: object, code: number, mail: RegExp | '', headers?: object])[] = [
  [FIRST, 3, /\n {2}B2 +new +not insured\n {2}C3 +new +unknown\n.*\n--fail-on has found changes \(2\)\.\n/s],
  [FIRST, 0, ''],
  [SECOND, 3, /\n {2}A1 +newly uninsured +insured P +not insured\n.*\n--fail-on has found changes \(1\)\.\n/s],
  [THIRD, 3, /\nEnds from .*: 1\n.*\n--fail-on has found newly-ending \(1\)\.\n/s],
  [THIRD, 0, ''],
  [{ ...THIRD, D4: FAULTY }, 1, /\n {2}not read +1\n/],
  // What happened while it could not be read.
  [LAST, 3, /\n {2}D4 +new +not read +not insured\n.*\n--fail-on has found changes \(1\)\.\n/s],
  [LAST, 0, ''],
  [LAST, 0, /^Fleet check, exit code 0\n.*\nThe key ends on 2026-12-01: ask/s, { 'X-Key-Expires': '2026-12-01' }],
];

it('The nightly job of the guide installs the client, and sends a mail only in nights when something is new or wrong, or the key ends soon', async () => {
  const page = await readFile(new URL('../../../docs/offices.md', import.meta.url), 'utf8');
  const [script = ''] = /^#!\/bin\/sh\n.*?(?=^```$)/ms.exec(page) ?? [];
  expect(script.split('\n')[1]).toMatch(/npm install .*vehicle-verification-\S+\.tgz/);
  const tarball = (await readdir(installationFolder)).find((name) => name.endsWith('.tgz')) ?? '';
  await copyFile(join(installationFolder, tarball), file(tarball));
  await writeFile(file('fleet.csv'), 'registration\nA1\nB2\nC3\nD4\n');
  let vehicles: object = {};
  const entryOf = (registration: string, date?: string) =>
    // No insurance goes on.
    date === undefined ? (vehicles[registration as keyof typeof vehicles] as object) : UNINSURED;
  const headers: Record<string, string> = {};
  const service = await startStubService({}, 200, { entryOf, headers });
  const exports = Object.entries(service.account).map(([name, value]) => `export ${name}=${value}\n`);
  await writeFile(file('key.env'), exports.join(''));
  const env = { PATH: process.env.PATH, HOME: folder(), KEY_FILE: file('key.env'), FLEET_FOLDER: folder() };
  for (const [night, code, mail, added] of NIGHTS) {
    vehicles = night;
    Object.assign(headers, added);
    const printed = await runCommand('sh', ['-c', `(${script}\n); echo "ends with $?"`], { env });
    expect(printed).toMatch(new RegExp(`(^|\n)ends with ${code}$`));
    if (mail === '') expect(printed).toBe('ends with 0');
    else expect(printed).toMatch(mail);
  }
  await service.close();
});
