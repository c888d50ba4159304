import * as http from 'node:http';
import * as https from 'node:https';
import { type SendCall, send } from '../support/send.ts';
import type { Keys } from './prepare-target.ts';

export interface HttpCaller {
  readonly keys: Keys;
  /** Sends the premium key by default; `key: undefined` sends none. */
  readonly call: SendCall;
}

export interface OpenHttpCaller extends HttpCaller {
  readonly close: () => void;
}

/** The API as a caller with keys sees it. */
export const openHttpCaller = (target: Parameters<typeof send>[0] & { readonly keys: Keys }): OpenHttpCaller => {
  const { Agent } = target.origin.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    keys: target.keys,
    call: (method, path, call) => send(target, method, path, { key: target.keys.premium, ...call }, agent),
    close: () => agent.destroy(),
  };
};
