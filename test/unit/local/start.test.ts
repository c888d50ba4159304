import { chmod, mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_PLANS } from '../../../core/access/plans.ts';
import { LOCAL_TABLE_NAMES } from '../../../core/tables.ts';
import { startLocalService } from '../../../local/service.ts';
import { clientOf } from '../../support/engine.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { aVehicle } from '../../support/records.ts';
import { send } from '../../support/send.ts';
import { useFolder } from '../../support/use-folder.ts';

const running: Program[] = [];
const inFolder = useFolder();
/** The first run in the folder, and what it printed until it was ready. */
let first: Program;
let printed: string;

/** Runs a command on free ports, by default the service with its data in the folder. */
const start = (command = process.execPath, args = ['bin/local.ts', '--data', inFolder()]): Program => {
  const run = startProgram(command, args, { ...process.env, PORT: '0', DYNAMODB_PORT: '0' });
  running.push(run);
  return run;
};
const ready = (run: Program) => run.printed(/Ready\./);

beforeAll(async () => {
  first = start();
  printed = await ready(first);
});
afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
});

const origin = (output: string) => /Base address\s+(http\S+)\/v1/.exec(output)?.[1] ?? '';
const keyOf = (output: string, name: string) =>
  new RegExp(`^    ${name}\\s+(vvc_(?:live|test)_\\w+)$`, 'm').exec(output)?.[1] ?? '';

/** A response of the service that printed this, to the key of that name. */
const ask = (output: string, name: string, path: string, item?: object) => {
  const headers = { Authorization: `Bearer ${keyOf(output, name)}` };
  return send({ origin: origin(output) }, item ? 'POST' : 'GET', path, { headers, ...(item && { json: item }) });
};
const LOOKUP = '/v1/vehicle/AB12CDE/insurance';

// In this order: each test finds the folder, and the service in it, as the one before it left them.
describe('npm start', () => {
  it('prints its addresses, a working key per plan, a test key and two requests', async () => {
    for (const [plan, { requestsPerWindow }] of Object.entries(DEFAULT_PLANS)) {
      const { headers, body } = await ask(printed, plan, LOOKUP);
      expect(body).toMatchObject({ insured: true });
      expect(headers.get('x-ratelimit-limit')).toEqual(String(requestsPerWindow));
      expect(headers.get('x-sandbox')).toBeNull();
    }
    const { headers, body } = await ask(printed, 'test', LOOKUP);
    expect(headers.get('x-sandbox')).toBe('true');
    expect(body).toMatchObject({ insured: true });
    expect((await ask(printed, 'free', '/api/content')).body).toMatchObject({ total: 70 });
    expect((await ask(printed, 'test', '/api/content')).body).toMatchObject({ total: 0 });
    expect(printed).toContain(`Reference     ${origin(printed)}/docs`);
    expect(printed).toContain(`Data and demo keys are kept in ${inFolder()}.`);
    expect(printed.match(/curl /g)).toHaveLength(2);
    const key = keyOf(printed, 'premium');
    const testKey = keyOf(printed, 'test');
    const dynamodbPort = /DynamoDB\s+http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
    expect(printed).toContain(
      `\n    export API_ORIGIN=${origin(printed)} API_KEY=${key} API_TEST_KEY=${testKey} DYNAMODB_PORT=${dynamodbPort}\n`,
    );
  });

  it('ends with one sentence when another process uses the folder', async () => {
    const second = start();
    expect(await second.ended).toBe(1);
    const sentence = `The data folder ${inFolder()} is in use by another npm start: stop that one, or name another folder.`;
    expect(second.output()).toBe(`${sentence}\n`);
  });

  it('ends normally on several signals, and keeps data and demo keys for the next start', async () => {
    const item = { title: 'Kept', content: 'C', domain: 'kept.example', slug: 'kept' };
    expect((await ask(printed, 'standard', '/api/content', item)).status).toBe(201);
    const db = clientOf(/DynamoDB\s+(http\S+)/.exec(printed)?.[1] ?? '');
    await db.send(new PutCommand({ TableName: LOCAL_TABLE_NAMES.vehicles, Item: aVehicle('DG65OLD', []) }));
    db.destroy();
    // As under npm. Different signals: the system delivers two equal ones that are pending as one.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) first.child.kill(signal);
    expect(await first.ended).toBe(0);
    expect(first.output()).toMatch(/Stopped\.\n$/);
    await expect(fetch(origin(printed))).rejects.toThrow();

    const next = start();
    const after = await ready(next);
    for (const name of ['free', 'standard', 'premium', 'test']) expect(keyOf(after, name)).toBe(keyOf(printed, name));
    const replaced = await ask(after, 'standard', '/v1/vehicle/DG65OLD/insurance');
    expect(replaced.body).toMatchObject({ policy: null, vehicle: { make: 'Škoda' } });
    expect((await ask(after, 'standard', LOOKUP)).body).toMatchObject({ insured: true });
    const listed = await ask(after, 'standard', '/api/content?domain=kept.example');
    expect(listed.body).toMatchObject({ total: 1, items: [{ title: 'Kept' }] });

    // A closed output ends it as normally, when it logs this request or one before.
    next.child.stdout.destroy();
    await fetch(`${origin(after)}/v1/nothing`).catch(() => undefined);
    expect(await next.ended).toBe(0);
    expect(next.output()).not.toMatch(/Error|EPIPE/);
  });

  it('leaves nothing running when npm itself gets a signal', async () => {
    const npm = start('npm', ['start']);
    const output = await ready(npm);
    expect(output).toContain('The data ends with it: npm start -- --data DIR keeps it.');
    npm.child.kill('SIGTERM');
    await npm.ended;
    expect(npm.output()).toContain('Stopped.');
    await expect(fetch(origin(output))).rejects.toThrow();
  });
});

describe('A data folder', () => {
  const inParent = useFolder();
  /** A folder for each test, which does not exist yet. */
  let folder: string;
  let tests = 0;
  beforeEach(() => {
    tests += 1;
    folder = inParent(String(tests));
  });

  const start = (dataDirectory = folder) => startLocalService({ port: 0, dynamodbPort: 0, dataDirectory });
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  it('is accessible to its owner only, even if others could read it before', async () => {
    await (await start()).stop();
    expect(await modeOf(folder)).toBe(0o700);
    await chmod(folder, 0o755);
    await (await start()).stop();
    expect(await modeOf(folder)).toBe(0o700);
  });

  it.each([/^CURRENT$/, /\.ldb$/])('ends the start with one sentence when the file %s is cut', async (pattern) => {
    // The second start moves the data of the log to a table.
    for (let starts = 0; starts < 2; starts += 1) await (await start()).stop();
    const cut = (await readdir(folder)).find((name) => pattern.test(name)) ?? '';
    await truncate(join(folder, cut));
    await expect(start()).rejects.toMatchObject({
      name: 'CannotStart',
      message: expect.stringMatching(/^The data in .*\): .* delete the folder\.$/),
    });
  });

  it('is rejected when it contains other files, and stays as it is', async () => {
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, 'letter.txt'), '');
    await expect(start()).rejects.toThrow('has other files or damaged data: name a new or an empty folder.');
    expect(await readdir(folder)).toEqual(['letter.txt']);
    expect(await modeOf(folder)).toBe(0o755);
  });

  it('is rejected when it is a file or below one', async () => {
    await writeFile(folder, '');
    const sentence = /^The data folder .* cannot be used \(ENOTDIR.*\): name another one\.$/;
    for (const path of [folder, join(folder, 'below')]) await expect(start(path)).rejects.toThrow(sentence);
  });
});
