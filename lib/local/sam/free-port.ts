import { once } from 'node:events';
import { createServer } from 'node:net';
import { CannotStart } from '../options.ts';

/** Makes sure that a port of this machine can be listened on. @throws CannotStart when it cannot */
export const requireFreePort = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    throw new CannotStart(`Port ${port} is taken or not yours to use; set PORT to another one.`);
  } finally {
    server.close();
  }
};
