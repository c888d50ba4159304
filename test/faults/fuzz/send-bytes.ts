import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RawRequest } from './raw-requests.ts';

/** Milliseconds after which a response counts as missing; a function has 10 s. */
const TIMEOUT_MS = 20_000;

/** The status of the first response to these bytes, or undefined when the connection is closed without one. */
export const sendBytes = async (origin: string, { bytes, isCutOff }: RawRequest): Promise<number | undefined> => {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), signal: AbortSignal.timeout(TIMEOUT_MS) });
  // A server drops a request whose sender has ended before it is answered.
  if (isCutOff) socket.end(bytes);
  else socket.write(bytes);
  const [status] = /(?<=^HTTP\/1\.1 )[2-5]\d\d/m.exec(await text(socket)) ?? [];
  return status === undefined ? undefined : Number(status);
};
