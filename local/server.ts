/** What the servers on this machine share: how they listen, and which requests they accept. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a server; port 0 is any free one. @throws the listen error, such as `EADDRINUSE` */
export const listen = async (server: Server, port: number, host: string) => {
  server.listen(port, host);
  await once(server, 'listening');
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    /** Closes all connections, also those with a request. */
    close: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** A name, or an IPv6 address in brackets, with a port. RFC 3986 allows more, which nobody uses here. */
const HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/** The message of a 421 response. */
export const MISDIRECTED =
  'This server accepts requests to 127.0.0.1, localhost and [::1] only. Name other hosts, separated by commas, in the environment variable ALLOWED_HOSTS.';

/**
 * Whether a request is for this machine. Protects from DNS rebinding: a web page whose host name resolves to 127.0.0.1
 * could read the responses, but its browser sends that host name as `Host`.
 * @param headers every `Host` header of the request; false when there is none or more than one
 * @param further further allowed host names in lower case, with any port
 */
export const isAllowedHost = (headers: readonly string[] = [], further: readonly string[] = []): boolean => {
  const name = headers.length === 1 ? HOST.exec(headers[0] ?? '')?.[1]?.toLowerCase() : undefined;
  return name !== undefined && (LOOPBACK.includes(name) || further.includes(name));
};
