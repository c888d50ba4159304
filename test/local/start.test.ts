import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import { fetchByContract } from '../support/contract.ts';
import { clientOf } from '../support/engine.ts';
import { aVehicle } from '../support/records.ts';

interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

const running: Run[] = [];

/** Runs bin/local.ts, or another command, on free ports. */
const start = (args = [process.execPath, 'bin/local.ts']): Run => {
  const [command = '', ...rest] = args;
  const child = spawn(command, rest, { env: { ...process.env, PORT: '0', DYNAMODB_PORT: '0' } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const run = { child, output: () => text, ended };
  running.push(run);
  return run;
};
const startIn = (folder: string) => start([process.execPath, 'bin/local.ts', '--data', folder]);

const ready = (run: Run): Promise<string> =>
  new Promise((resolve, reject) => {
    run.child.stdout.on('data', () => run.output().includes('Ready.') && resolve(run.output()));
    run.ended.then(() => reject(new Error(run.output())), reject);
  });

const stop = async (run: Run, signal: NodeJS.Signals) => {
  run.child.kill(signal);
  return run.ended;
};

afterEach(async () => {
  for (const run of running.splice(0)) await stop(run, 'SIGKILL');
});

const origin = (output: string) => /Base address\s+(http\S+)\/v1/.exec(output)?.[1] ?? '';
const keyOf = (output: string, name: string) =>
  new RegExp(`^    ${name}\\s+(vvc_(?:live|test)_\\w+)$`, 'm').exec(output)?.[1] ?? '';

/** A response of the service that printed this, with the key of that name. */
const ask = async (output: string, name: string, path: string, item?: object) => {
  const headers = { Authorization: `Bearer ${keyOf(output, name)}`, 'Content-Type': 'application/json' };
  const sent = item && { method: 'POST', body: JSON.stringify(item) };
  const reply = await fetchByContract(origin(output) + path, { headers, ...sent });
  return { reply, body: await reply.json() };
};
const LOOKUP = '/v1/vehicle/AB12CDE/insurance';

describe('npm start', () => {
  it('prints its addresses, a working key per plan, a test key and two requests, and ends normally on several signals', async () => {
    const run = start();
    const output = await ready(run);
    for (const [plan, limit] of Object.entries({ free: '60', standard: '600', premium: '6000' })) {
      const { reply, body } = await ask(output, plan, LOOKUP);
      expect(body).toMatchObject({ insured: true });
      expect([reply.headers.get('x-ratelimit-limit'), reply.headers.get('x-sandbox')]).toEqual([limit, null]);
    }
    const { reply, body } = await ask(output, 'test', LOOKUP);
    expect([reply.headers.get('x-sandbox'), body]).toMatchObject(['true', { insured: true }]);
    expect((await ask(output, 'free', '/api/content')).body).toMatchObject({ total: 70 });
    expect((await ask(output, 'test', '/api/content')).body).toMatchObject({ total: 0 });
    expect(output).toMatch(/DynamoDB\s+http:\/\/127\.0\.0\.1:\d+/);
    expect(output).toContain(`Reference     ${origin(output)}/docs`);
    expect(output).toContain('Test key: sees the sandbox only');
    expect(output.match(/curl /g)).toHaveLength(2);
    expect(output).toContain(`\n    export KEY=${keyOf(output, 'standard')}\n`);
    // As under npm. Different signals: the system delivers two equal ones that are pending as one.
    run.child.kill('SIGINT');
    run.child.kill('SIGTERM');
    expect(await stop(run, 'SIGHUP')).toBe(0);
    expect(run.output()).toMatch(/Stopped\.\n$/);
    await expect(fetch(origin(output))).rejects.toThrow();
  });

  it('leaves nothing running when npm itself gets SIGINT or SIGTERM', async () => {
    const stopNpm = async (signal: NodeJS.Signals) => {
      const run = start(['npm', 'start']);
      const output = await ready(run);
      await stop(run, signal);
      expect(run.output()).toContain('Stopped.');
      await expect(fetch(origin(output))).rejects.toThrow();
    };
    await Promise.all([stopNpm('SIGINT'), stopNpm('SIGTERM')]);
  });

  it('ends without an error when its output is closed', async () => {
    const run = start();
    const output = await ready(run);
    run.child.stdout.destroy();
    await fetch(`${origin(output)}/v1/nothing`);
    expect(await run.ended).toBe(0);
    expect(run.output()).toBe(output);
  });

  it('keeps data and demo keys across restarts with --data, for one process at a time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'local-data-'));
    try {
      const first = startIn(folder);
      const before = await ready(first);
      const second = startIn(folder);
      expect(await second.ended).toBe(1);
      const sentence = `The data folder ${folder} is in use by another npm start: stop that one, or name another folder.`;
      expect(second.output()).toBe(`${sentence}\n`);
      const item = { title: 'Kept', content: 'C', domain: 'kept.example', slug: 'kept' };
      expect((await ask(before, 'standard', '/api/content', item)).reply.status).toBe(201);
      const db = clientOf(/DynamoDB\s+(http\S+)/.exec(before)?.[1] ?? '');
      await db.send(new PutCommand({ TableName: LOCAL_TABLE_NAMES.vehicles, Item: aVehicle('DG65OLD', []) }));
      db.destroy();
      for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      await stop(first, 'SIGTERM');
      const after = await ready(startIn(folder));
      for (const name of ['free', 'standard', 'premium', 'test']) expect(keyOf(after, name)).toBe(keyOf(before, name));
      const replaced = await ask(after, 'standard', '/v1/vehicle/DG65OLD/insurance');
      expect(replaced.body).toMatchObject({ policy: null, vehicle: { make: 'Škoda' } });
      expect((await ask(after, 'standard', LOOKUP)).body).toMatchObject({ insured: true });
      const listed = await ask(after, 'standard', '/api/content?domain=kept.example');
      expect(listed.body).toMatchObject({ total: 1, items: [{ title: 'Kept' }] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
