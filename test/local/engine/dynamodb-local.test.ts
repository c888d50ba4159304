import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { startDynamoDbLocal } from '../../support/dynamodb-local/dynamodb-local.ts';
import { sharedEndpoint } from '../../support/engine.ts';
import { errorOf } from './writes.ts';

const connected = async (endpoint: string, host = '127.0.0.1'): Promise<Socket> => {
  const socket = connect(Number(new URL(endpoint).port), host);
  await once(socket, 'connect');
  // Later errors close the socket.
  socket.on('error', () => undefined);
  return socket;
};

const otherAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const startHangingProcess = async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hanging-dynamodb-local.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [endpoint] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, endpoint: String(endpoint) };
};

// A machine that only runs the embedded engine may lack Java.
const withJava = sharedEndpoint() === undefined ? describe.skip : describe;

withJava('DynamoDB Local', () => {
  it('is reachable from this machine only, rejects a taken port, and has stopped when closed', async () => {
    const engine = await startDynamoDbLocal();
    const socket = await connected(engine.endpoint);
    if (otherAddress !== undefined) {
      expect(await errorOf(connected(engine.endpoint, otherAddress))).toMatchObject({ code: 'ECONNREFUSED' });
    }
    const port = Number(new URL(engine.endpoint).port);
    expect(String(await errorOf(startDynamoDbLocal({ port })))).toMatch(/did not start.*bind/);
    const closed = once(socket, 'close');
    await engine.close();
    await closed;
    expect(await errorOf(connected(engine.endpoint))).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('ends when the process that started it is killed', async () => {
    const { child, endpoint } = await startHangingProcess();
    const socket = await connected(endpoint);
    const closed = once(socket, 'close');
    child.kill('SIGKILL');
    await closed;
    // Java closes its connections shortly before it stops listening: until then a new one is accepted, or closed at once.
    let code: string | undefined;
    while (code !== 'ECONNREFUSED') {
      code = await connected(endpoint).then(
        (late) => void late.destroy(),
        (error: NodeJS.ErrnoException) => error.code,
      );
    }
    expect(code).toBe('ECONNREFUSED');
  });
});

describe('without Java', () => {
  it('DynamoDB Local names the version that it needs', async () => {
    const error = await errorOf(startDynamoDbLocal({ java: '/nowhere/java' }));
    expect(error).toMatchObject({ name: 'JavaMissing', message: expect.stringContaining('version 17') });
  });
});
