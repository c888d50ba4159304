import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';

/** Keys as an operator makes them, one for each thing to be seen. */
export interface Keys {
  /** Premium, every scope. */
  readonly premium: string;
  /** Premium, `vehicles:read` only. */
  readonly vehiclesOnly: string;
  /** Free: 60 requests a window. */
  readonly free: string;
  readonly revoked: string;
}

/** Where the API is; nothing else is known of it. */
export interface Target {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  /** Sent as `Host` where the address itself does not name the API, as with an emulator. */
  readonly host?: string;
  readonly keys: Keys;
}

export interface Call {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly raw?: string;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The parsed body; throws when it is no JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Api {
  readonly keys: Keys;
  /** Sends the premium key by default; `key: undefined` sends none. */
  readonly call: (method: string, path: string, call?: Call) => Promise<Answer>;
}

const send = async (agent: http.Agent, target: Target, method: string, path: string, call: Call): Promise<Answer> => {
  const key = 'key' in call ? call.key : target.keys.premium;
  const headers = {
    ...(target.host !== undefined && { Host: target.host }),
    ...(key !== undefined && { 'X-API-Key': key }),
    ...(call.json !== undefined && { 'Content-Type': 'application/json' }),
    ...call.headers,
  };
  const { request } = target.origin.startsWith('https:') ? https : http;
  const outgoing = request(target.origin, { agent, method, path, headers });
  outgoing.end(call.json === undefined ? call.raw : JSON.stringify(call.json));
  const [incoming] = (await once(outgoing, 'response')) as [http.IncomingMessage];
  const received = await text(incoming);
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    text: received,
    get body() {
      return JSON.parse(received);
    },
  };
};

export interface OpenApi extends Api {
  readonly close: () => void;
}

/** The API as a caller with keys sees it, over a connection that sends a path as it is written. */
export const openApi = (target: Target): OpenApi => {
  const { Agent } = target.origin.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    keys: target.keys,
    call: (method, path, call = {}) => send(agent, target, method, path, call),
    close: () => agent.destroy(),
  };
};
