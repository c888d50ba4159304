import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';

interface Target {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  /** Sent as `Host` where the address itself does not name the API, as with an emulator. */
  readonly host?: string;
}

export interface Call {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array;
}

export interface Reply {
  /** `GET /v1/usage`, for the message of a failure. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; throws when it is no JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request to an address that it knows. */
export type SendCall = (method: string, path: string, call?: Call) => Promise<Reply>;

/** Sends a path as it is written. */
export const send = async (
  { origin, host }: Target,
  method: string,
  path: string,
  { key, headers, json, raw }: Call = {},
  agent?: http.Agent,
): Promise<Reply> => {
  const { request } = origin.startsWith('https:') ? https : http;
  const sent = {
    ...(host !== undefined && { Host: host }),
    ...(key !== undefined && { 'X-API-Key': key }),
    ...(json !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  };
  const outgoing = request(origin, { method, path, headers: sent, ...(agent && { agent }) });
  const replied = once(outgoing, 'response') as Promise<[http.IncomingMessage]>;
  // After a reply that did not wait for the whole body.
  outgoing.on('error', () => undefined);
  outgoing.end(json === undefined ? raw : JSON.stringify(json));
  const [incoming] = await replied;
  const isCompressed = incoming.headers['content-encoding'] === 'gzip';
  const received = await text(isCompressed ? incoming.pipe(createGunzip()) : incoming);
  const entries = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return {
    request: `${method} ${path}`,
    status: incoming.statusCode ?? 0,
    headers: new Headers(entries),
    text: received,
    get body() {
      return JSON.parse(received);
    },
  };
};
