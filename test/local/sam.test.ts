import { afterEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../../lib/local/engine/embedded.ts';
import { startReachableEngine } from '../../lib/local/sam/docker.ts';

/** Reserved for documentation (RFC 5737): no machine has this address. */
const NOT_OURS = '192.0.2.1';

/** Only Linux has more than one loopback address by default. */
const onLinux = process.platform === 'linux' ? it : it.skip;

let engine: Engine;
afterEach(() => engine.close());

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
