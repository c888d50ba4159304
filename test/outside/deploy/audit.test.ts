import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
/**
 * Events of CloudTrail, one on a line, without what no query reads. Their forms are those of AWS's guides,
 * "Understanding DynamoDB log file entries" and "Amazon S3 CloudTrail events", which have no BatchGetItem.
 */
const EVENTS = join(ROOT, 'test/fixtures/audit');

const inFolder = useFolder();

beforeAll(async () => {
  const folder = inFolder('audit/123456789012/CloudTrail/eu-west-2/2026/11');
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(EVENTS)) {
    const events = (await readFile(join(EVENTS, name), 'utf8')).trim().split('\n');
    const file = await promisify(gzip)(`{"Records":[${events.join(',')}]}`);
    await writeFile(join(folder, name.replace('.ndjson', '.json.gz')), file);
  }
});

/** The commands of the guide, each with the lines that it prints. */
const queries = [...readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').matchAll(/^((?:reads|changes) \S+)/gm)].map(
  ([, command = '']) => command,
);
const run = async (query: string): Promise<string[]> => {
  const output = await runCommand('bash', ['-c', `cd '${inFolder()}' && . '${ROOT}/docs/audit.sh' && ${query}`]);
  return output
    .trim()
    .split('\n')
    .map((line) =>
      line.replace('arn:aws:sts::123456789012:assumed-role/', '').replace(/vehicle-\S+-Tables(\w+)\S*/, '$1'),
    );
};

describe('The documented queries of the audit', () => {
  it('are three', () => {
    expect(queries).toEqual(['reads AB12CDE', 'changes 279c3b4947c3c126c0a0', 'changes vehicles/acme/2026-11-21.csv']);
  });

  it('name who read a vehicle, or may have read it with all others', async () => {
    expect(await run('reads AB12CDE')).toEqual([
      '2026-11-20T09:00:00Z OPERATORS/ada BatchGetItem vehicles1A2B3C4D ',
      '2026-11-20T10:00:00Z OPERATORS/bob GetItem vehicles1A2B3C4D AccessDeniedException',
      '2026-11-20T10:30:00Z OPERATORS/eve Scan vehicles1A2B3C4D ',
      '2026-11-20T11:00:00Z OPERATORS/eve ExecuteStatement vehicles1A2B3C4D',
    ]);
  });

  it('name who changed a key, by itself or in a transaction', async () => {
    expect(await run('changes 279c3b4947c3c126c0a0')).toEqual([
      '2026-11-21T09:00:00Z OPERATORS/ada UpdateItem keys1A2B3C4D ',
      '2026-11-21T10:00:00Z OPERATORS/bob TransactWriteItems keys1A2B3C4D',
    ]);
  });

  it('name the account of a supplier who put a file, and what else somebody did', async () => {
    expect(await run('changes vehicles/beta/2026-11-21.csv')).toEqual([
      '2026-11-21T02:05:00Z 210987654321 PutObject vehicles/beta/2026-11-21.csv 3sL4kqtJlcpXroDTDmJ',
    ]);
    expect(await run("events '' true | grep StopLogging")).toEqual(['2026-11-21T13:00:00Z OPERATORS/eve StopLogging']);
  });

  it('name who put a file, with its version, and who deleted it', async () => {
    expect(await run('changes vehicles/acme/2026-11-21.csv')).toEqual([
      '2026-11-21T02:00:00Z acme/nightly PutObject vehicles/acme/2026-11-21.csv 3sL4kqtJlcpXroDTDmJ',
      '2026-11-21T12:00:00Z OPERATORS/eve DeleteObject vehicles/acme/2026-11-21.csv',
    ]);
  });
});
