/** Listens, sends its port, and accepts no connection: with a queue of one, no further connection is opened. */
import { type AddressInfo, createServer } from 'node:net';

const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  const { port } = server.address() as AddressInfo;
  const blockForever = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  process.send?.(port, undefined, undefined, blockForever);
});
