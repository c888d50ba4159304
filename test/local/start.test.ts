import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
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

const watch = (child: ChildProcessWithoutNullStreams): Run => {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const run = { child, output: () => text, ended };
  running.push(run);
  return run;
};

const FREE_PORTS = { PORT: '0', DYNAMODB_PORT: '0' };

/** Runs bin/local.ts, on free ports by default. */
const start = (args: string[] = [], env: Record<string, string> = {}): Run =>
  watch(spawn(process.execPath, ['bin/local.ts', ...args], { env: { PATH: process.env.PATH, ...FREE_PORTS, ...env } }));

const ready = (run: Run): Promise<string> =>
  new Promise((resolve, reject) => {
    const look = () => run.output().includes('Ready.') && resolve(run.output());
    run.child.stdout.on('data', look);
    run.ended.then(() => reject(new Error(run.output())), reject);
  });

const stop = async (run: Run, signal: NodeJS.Signals = 'SIGINT') => {
  run.child.kill(signal);
  return run.ended;
};

afterEach(async () => {
  for (const run of running.splice(0)) {
    run.child.kill('SIGKILL');
    await run.ended;
  }
});

const origin = (output: string) => /Base address\s+(http\S+)\/v1/.exec(output)?.[1] ?? '';
const keyOf = (output: string, plan: string) =>
  new RegExp(`^    ${plan}\\s+(vvc_live_\\w+)$`, 'm').exec(output)?.[1] ?? '';
const testKeyOf = (output: string) => /^ {4}test\s+(vvc_test_\w+)$/m.exec(output)?.[1] ?? '';

/** Stores a vehicle with the registration of a sample vehicle. */
const replaceVehicle = async (output: string, registration: string) => {
  const db = clientOf(/DynamoDB\s+(http\S+)/.exec(output)?.[1] ?? '');
  const record = { ...aVehicle(registration, []), vehicle: { make: 'Mine', model: 'M', year: 2020, color: 'Red' } };
  await db.send(new PutCommand({ TableName: LOCAL_TABLE_NAMES.vehicles, Item: record }));
  db.destroy();
};

describe('npm start', () => {
  it('prints its addresses, a working demo key per plan and two requests, and ends on Ctrl-C', async () => {
    const run = start();
    const output = await ready(run);
    for (const [plan, limit] of Object.entries({ free: '60', standard: '600', premium: '6000' })) {
      const reply = await fetchByContract(`${origin(output)}/v1/vehicle/AB12CDE/insurance`, {
        headers: { Authorization: `Bearer ${keyOf(output, plan)}` },
      });
      expect(await reply.json()).toMatchObject({ insured: true });
      expect(reply.headers.get('x-ratelimit-limit')).toBe(limit);
    }
    const listed = await fetchByContract(`${origin(output)}/api/content`, {
      headers: { 'X-API-Key': keyOf(output, 'free') },
    });
    expect(await listed.json()).toMatchObject({ total: 70 });
    expect(output).toMatch(/DynamoDB\s+http:\/\/127\.0\.0\.1:\d+/);
    expect(output).toContain(`Reference     ${origin(output)}/docs`);
    expect(output.match(/curl /g)).toHaveLength(2);
    expect(output).toContain(`\n    export KEY=${keyOf(output, 'standard')}\n`);
    expect(output.match(/vvc_live_\w+/g)?.slice(0, 3)).toEqual(
      ['free', 'standard', 'premium'].map((plan) => keyOf(output, plan)),
    );
    expect(await stop(run)).toBe(0);
    await expect(fetch(origin(output))).rejects.toThrow();
  });

  it('prints a separate test key, which has no content and is the key of the reference', async () => {
    const output = await ready(start());
    const key = testKeyOf(output);
    const headers = { 'X-API-Key': key };
    expect(output.indexOf(key)).toBeGreaterThan(output.indexOf(keyOf(output, 'premium')));
    expect(output).toContain('Test key: sees the sandbox only');
    const vehicle = await fetchByContract(`${origin(output)}/v1/vehicle/AB12CDE/insurance`, { headers });
    expect([vehicle.headers.get('x-sandbox'), await vehicle.json()]).toEqual([
      'true',
      expect.objectContaining({ insured: true }),
    ]);
    const listed = await fetchByContract(`${origin(output)}/api/content`, { headers });
    expect(await listed.json()).toMatchObject({ total: 0 });
    const page = await (await fetch(`${origin(output)}/docs`)).text();
    expect(page).toContain(`data-key="${key}"`);
    expect(page).toMatch(/<p class="sandbox">[^<]*test key[^<]*sandbox vehicles[^<]*<\/p>/);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing running when npm itself gets %s', async (signal) => {
    const run = watch(spawn('npm', ['start'], { env: { ...process.env, ...FREE_PORTS } }));
    const output = await ready(run);
    await stop(run, signal);
    expect(run.output()).toContain('Stopped.');
    await expect(fetch(origin(output))).rejects.toThrow();
  });

  it('ends normally when it receives several signals, as it does under npm', async () => {
    const run = start();
    await ready(run);
    // Different signals: the system delivers two equal ones that are pending as one.
    run.child.kill('SIGINT');
    run.child.kill('SIGTERM');
    expect(await stop(run, 'SIGHUP')).toBe(0);
    expect(run.output()).toMatch(/Stopped\.\n$/);
  });

  it('ends without an error when its output is closed', async () => {
    const run = start();
    const output = await ready(run);
    run.child.stdout.destroy();
    await fetch(`${origin(output)}/v1/nothing`);
    expect(await run.ended).toBe(0);
    expect(run.output()).toBe(output);
  });

  it('keeps data and demo keys across restarts with --data', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'local-data-'));
    try {
      const first = start(['--data', folder]);
      const before = await ready(first);
      const key = keyOf(before, 'standard');
      const second = start(['--data', folder]);
      expect(await second.ended).toBe(1);
      expect(second.output()).toBe(
        `The data folder ${folder} is in use by another npm start: stop that one, or name another folder.\n`,
      );
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ title: 'Kept', content: 'C', domain: 'kept.example', slug: 'kept' });
      expect((await fetchByContract(`${origin(before)}/api/content`, { method: 'POST', headers, body })).status).toBe(
        201,
      );
      await replaceVehicle(before, 'DG65OLD');
      for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      await stop(first, 'SIGTERM');
      const after = await ready(start(['--data', folder]));
      expect([keyOf(after, 'standard'), testKeyOf(after)]).toEqual([key, testKeyOf(before)]);
      const look = async (plate: string) =>
        (
          await fetchByContract(`${origin(after)}/v1/vehicle/${plate}/insurance`, { headers: { 'X-API-Key': key } })
        ).json();
      expect(await look('DG65OLD')).toMatchObject({ policy: null, vehicle: { make: 'Mine' } });
      expect(await look('AB12CDE')).toMatchObject({ insured: true });
      const listed = await fetchByContract(`${origin(after)}/api/content?domain=kept.example`, { headers });
      expect(await listed.json()).toMatchObject({ total: 1, items: [{ title: 'Kept' }] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.each(['PORT', 'DYNAMODB_PORT'])('ends with one line when %s is taken', async (variable) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const port = String((taken.address() as AddressInfo).port);
    const run = start([], { [variable]: port });
    expect(await run.ended).toBe(1);
    expect(run.output()).toBe(`Port ${port} is taken; set ${variable} to another one.\n`);
    await new Promise((resolve) => taken.close(resolve));
  });

  it.each([
    ['PORT=eighty', [], { PORT: 'eighty' }, 'PORT must be a port number from 0 to 65535, not "eighty".\n'],
    ['DYNAMODB_PORT=70000', [], { DYNAMODB_PORT: '70000' }, 'DYNAMODB_PORT must be a port number'],
    ['an allowed host with a scheme', [], { ALLOWED_HOSTS: 'a.example, http://b' }, '"http://b" is not one.\n'],
    ['an engine that is not an address', ['--dynamodb', 'there'], {}, '--dynamodb must be an address'],
    ['an engine that does not exist', ['--dynamodb', 'http://127.0.0.1:9'], {}, 'No DynamoDB could be used at http'],
    ['an unknown option', ['--colour'], {}, "Unknown option '--colour'"],
  ])('ends with one clear line on %s', async (_what, args, env, line) => {
    const run = start(args, env as Record<string, string>);
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain(line);
    expect(run.output()).not.toContain('    at ');
  });
});
