import { describe, expect, it } from '@jest/globals';
import { startReachableEngine } from '../../lib/local/sam/reachable-engine.ts';

/** For documentation (RFC 5737): no machine has it. */
const NOT_OURS = '192.0.2.1';

/** Only Linux has more than one loopback address from the start. */
const onLinux = process.platform === 'linux' ? it : it.skip;

describe('The engine that containers reach', () => {
  onLinux('listens at the gateway of the bridge and nowhere else', async () => {
    const engine = await startReachableEngine('127.0.0.2', 0);
    expect(engine.endpoint).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    await engine.close();
  });

  it.each([NOT_OURS, undefined])('listens on loopback where the bridge is not on this machine: %s', async (gateway) => {
    const engine = await startReachableEngine(gateway, 0);
    expect(engine.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await engine.close();
  });

  it('says that its port is taken', async () => {
    const engine = await startReachableEngine(undefined, 0);
    const port = Number(new URL(engine.endpoint).port);
    await expect(startReachableEngine(undefined, port)).rejects.toThrow(`Port ${port} is taken; set DYNAMODB_PORT`);
    await engine.close();
  });
});
