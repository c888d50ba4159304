/**
 * Protects the servers of this machine from DNS rebinding: a web page whose name is made to resolve to 127.0.0.1 may read
 * their responses, but its browser still sends the page's name as `Host`.
 */

/** Names that reach only this machine. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** A name, an IPv4 address, or an IPv6 address in brackets; RFC 3986 allows more, which nobody types here. */
const NAME = '[a-z0-9_.-]+|\\[[0-9a-f:.]+\\]';
const NAME_ONLY = new RegExp(`^(?:${NAME})$`, 'i');
const NAME_AND_PORT = new RegExp(`^(${NAME})(?::[0-9]{1,5})?$`, 'i');

/** What a server answers to a host that it does not serve, with status 421. */
export const MISDIRECTED =
  'This server answers requests to 127.0.0.1, localhost and [::1] only. Name other hosts, joined by commas, in the environment variable ALLOWED_HOSTS.';

/** Whether a text can be one of the further hosts: a name or an address, without a port. */
export const isHostName = (text: string): boolean => NAME_ONLY.test(text);

/**
 * Whether a request is for this machine.
 * @param headers every `Host` header of the request: with none or several it is not
 * @param further hosts that count as this machine, in lower case, whatever the port
 */
export const isAllowedHost = (headers: readonly string[] = [], further: readonly string[] = []): boolean => {
  const name = headers.length === 1 ? NAME_AND_PORT.exec(headers[0] ?? '')?.[1]?.toLowerCase() : undefined;
  return name !== undefined && (LOOPBACK.includes(name) || further.includes(name));
};
