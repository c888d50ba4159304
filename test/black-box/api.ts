import * as http from 'node:http';
import * as https from 'node:https';

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

const headersOf = ({ keys, host }: Target, { json, headers, ...rest }: Call) => {
  const key = 'key' in rest ? rest.key : keys.premium;
  return {
    ...(host === undefined ? {} : { Host: host }),
    ...(key === undefined ? {} : { 'X-API-Key': key }),
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  };
};

const send = (agent: http.Agent, target: Target, method: string, path: string, call: Call): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { agent, method, path, headers: headersOf(target, call) };
    const { request } = target.origin.startsWith('https:') ? https : http;
    const outgoing = request(target.origin, options, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('error', reject).on('end', () => {
        const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(headers),
          text,
          get body() {
            return JSON.parse(text);
          },
        });
      });
    });
    outgoing.on('error', reject).end(call.json === undefined ? call.raw : JSON.stringify(call.json));
  });

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
