/** `npm start -- --log FILE`: how `lookups` searches the file: test/unit/admin/lookups.test.ts. */
import { readFile, stat } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { startLocalService } from '../../../local/service.ts';
import { useFolder } from '../../support/use-folder.ts';

const inFolder = useFolder();

it('A local service writes the log lines of requests to a file of its owner, those of lookups with their hashes', async () => {
  const logFile = inFolder('requests.log');
  const { origin, keys, stop } = await startLocalService({ port: 0, dynamodbPort: 0, logFile });
  for (const [path, key = ''] of [
    ['/v1/vehicle/AB12CDE/insurance', keys.plans.free],
    ['/v1/usage', keys.plans.free],
  ]) {
    await fetch(origin + path, { headers: { 'X-API-Key': key, 'X-Reference': 'case-4711' } });
  }
  await stop();
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ endpoint: 'vehicle-insurance', reference: 'case-4711', lookups: expect.any(String) }),
    expect.objectContaining({ endpoint: 'usage', status: 200, _aws: expect.anything() }),
  ]);
  expect((await stat(logFile)).mode & 0o777).toBe(0o600);
});

it('A log file that cannot be written ends the start with one sentence', async () => {
  await expect(startLocalService({ port: 0, dynamodbPort: 0, logFile: inFolder() })).rejects.toMatchObject({
    name: 'CannotStart',
    message: expect.stringMatching(/^The log file .* cannot be written \(EISDIR.*\): name another one\.$/),
  });
});
