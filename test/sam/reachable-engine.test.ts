import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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

  onLinux.each([
    ['host.docker.internal', 400],
    ['127.0.0.2', 400],
    ['box.example', 400],
    ['rebound.example', 421],
  ])('answers a request to %s with %i', async (host, status) => {
    const engine = await startReachableEngine('127.0.0.2', 0, ['box.example']);
    const { hostname, port } = new URL(engine.endpoint);
    const socket = connect(Number(port), hostname);
    socket.write(`POST / HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`);
    const response = await text(socket);
    await engine.close();
    expect(response).toContain(`HTTP/1.1 ${status} `);
  });

  it('says that its port is taken', async () => {
    const engine = await startReachableEngine(undefined, 0);
    const port = Number(new URL(engine.endpoint).port);
    await expect(startReachableEngine(undefined, port)).rejects.toThrow(`Port ${port} is taken; set DYNAMODB_PORT`);
    await engine.close();
  });
});
