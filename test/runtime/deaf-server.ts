/** Listens, tells its port, and never accepts anybody: with a queue of one, further connections do not come about. */
import { type AddressInfo, createServer } from 'node:net';

const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  const { port } = server.address() as AddressInfo;
  const fallDeaf = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  process.send?.(port, undefined, undefined, fallDeaf);
});
