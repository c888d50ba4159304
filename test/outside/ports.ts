import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../../local/server.ts';

/** A port of this machine that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const { origin, close } = await listen(createServer(), 0, '127.0.0.1');
  await close();
  return Number(new URL(origin).port);
};

const POLL_MS = 100;

/** Waits until a program accepts connections. @throws Error when it has ended before */
export const untilListening = async (port: number, ended: Promise<unknown>): Promise<void> => {
  const failed = ended.then(() => {
    throw new Error('The program ended before it listened.');
  });
  const isListening = (): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1');
    const connected = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    return connected.finally(() => socket.destroy());
  };
  while (!(await Promise.race([isListening(), failed]))) await pause(POLL_MS);
};
