/** `npm start -- --log FILE`: the log lines of the functions in a file, which `lookups` searches. */
import { readFile, stat } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { LOCAL_TABLE_NAMES } from '../../../core/tables.ts';
import { startLocalService } from '../../../local/service.ts';
import { runAdminCommand } from '../../support/use-admin.ts';
import { useFolder } from '../../support/use-folder.ts';

const inFolder = useFolder();

const start = async (logFile: string) => {
  const { origin, dynamodb, keys, stop } = await startLocalService({ port: 0, dynamodbPort: 0, logFile });
  const get = (path: string, key = keys.plans.free ?? '') =>
    fetch(origin + path, { headers: { 'X-API-Key': key, 'X-Reference': 'case-4711' } });
  const search = async (...args: readonly string[]) => {
    const command = ['lookups', ...args, '--log', logFile, '--json', '--dynamodb', dynamodb];
    const { stdout } = await runAdminCommand(command, LOCAL_TABLE_NAMES);
    return JSON.parse(stdout).lookups as readonly object[];
  };
  return { get, search, stop, testKey: keys.test };
};

it('A local service writes its log lines to a file, in which lookups are found by it and by the next one', async () => {
  const file = inFolder('requests.log');
  const first = await start(file);
  expect((await first.get('/v1/vehicle/AB12CDE/insurance')).status).toBe(200);
  expect((await first.get('/v1/vehicle/AB12CDE/insurance', first.testKey)).status).toBe(200);
  expect((await first.get('/v1/usage')).status).toBe(200);
  await first.stop();
  const lines = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ endpoint, status, _aws }) => [endpoint, status, typeof _aws])).toEqual([
    ['vehicle-insurance', 200, 'object'],
    ['vehicle-insurance', 200, 'object'],
    ['usage', 200, 'object'],
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const second = await start(file);
  const found = { answer: 'insured', reference: 'case-4711', keyId: lines[0].keyId, keyName: null };
  expect(await second.search('AB12 CDE')).toMatchObject([found]);
  await second.stop();
});

it('A log file that cannot be written ends the start with one sentence', async () => {
  await expect(startLocalService({ port: 0, dynamodbPort: 0, logFile: inFolder() })).rejects.toMatchObject({
    name: 'CannotStart',
    message: expect.stringMatching(/^The log file .* cannot be written \(EISDIR.*\): name another one\.$/),
  });
});
