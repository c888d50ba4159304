import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../../lib/local/engine/embedded.ts';
import { bridgeGateway, startReachableEngine } from '../../lib/local/sam/docker.ts';

/** Reserved for documentation (RFC 5737): no machine has this address. */
const NOT_OURS = '192.0.2.1';

/** Only Linux has more than one loopback address by default. */
const onLinux = process.platform === 'linux' ? it : it.skip;

let folder: string;
let engine: Engine | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docker-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await engine?.close();
  engine = undefined;
});

/** Puts a program named `docker` on the path. */
const installDocker = (script: string) => writeFile(join(folder, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
const gateway = () => bridgeGateway({ PATH: folder });

describe('The address of the Docker host in containers', () => {
  it.each([
    ['the gateway of the bridge', '{"Subnet":"172.17.0.0/16","Gateway":"172.17.0.9"}', '172.17.0.9'],
    ['the first of the subnet when the bridge names none', '{"Subnet":"10.88.4.0/24"}', '10.88.4.1'],
  ])('is %s', async (_what, configuration, address) => {
    await installDocker(`echo '${configuration}'`);
    expect(await gateway()).toBe(address);
  });

  it('is an error with the message of Docker when Docker is missing or fails', async () => {
    await expect(gateway()).rejects.toThrow('docker is not installed: see docs/sam-local.md.');
    await installDocker('echo "Is the docker daemon running?" >&2; exit 1');
    await expect(gateway()).rejects.toThrow(/Is the docker daemon running\?$/);
  });
});

describe('The engine that containers reach', () => {
  onLinux('listens at the gateway of the bridge and nowhere else', async () => {
    engine = await startReachableEngine('127.0.0.2', 0, []);
    expect(engine.endpoint).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
  });

  it('listens on loopback when the bridge is not on this machine', async () => {
    engine = await startReachableEngine(NOT_OURS, 0, []);
    expect(engine.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});
