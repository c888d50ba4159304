import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { type Gateway, startGateway } from '../../lib/local/gateway/gateway.ts';
import { runCommand } from '../admin/command-line.ts';
import { requireContract } from '../support/contract.ts';
import { environmentOf, startEngine, type TestEngine } from '../support/engine.ts';
import { type Api, type OpenApi, openApi } from './api.ts';
import { apiTests } from './api-tests.ts';
import { prepareTarget } from './prepare-target.ts';

let engine: TestEngine;
let gateway: Gateway;
let api: OpenApi;

/** The same API, with every exchange checked against the OpenAPI document. */
const byContract = (origin: string, { keys, call }: Api): Api => ({
  keys,
  call: async (method, path, sent = {}) => {
    const answer = await call(method, path, sent);
    requireContract({
      method,
      url: new URL(origin + path),
      headers: sent.headers ?? {},
      body: sent.json === undefined ? sent.raw : JSON.stringify(sent.json),
      status: answer.status,
      answerHeaders: new Headers(
        Object.entries(answer.headers).map(([name, value = '']): [string, string] => [name, value]),
      ),
      answerText: answer.text,
    });
    return answer;
  },
});

beforeAll(async () => {
  engine = await startEngine();
  Object.assign(process.env, environmentOf(engine));
  const now = new Date();
  // Standing still, so that no machine is too slow to send more requests in a window than the plan allows.
  gateway = await startGateway({ port: 0, clock: () => now.getTime() });
  const admin = async (...args: string[]) => {
    const result = await runCommand([...args, '--dynamodb', engine.endpoint], engine.names, { now });
    expect(result).toEqual({ exitCode: 0, stdout: expect.any(String), stderr: expect.any(String) });
    return result.stdout;
  };
  api = openApi({ origin: gateway.origin, keys: await prepareTarget(admin, now) });
});
afterAll(async () => {
  api.close();
  await gateway.close();
  await engine.stop();
});

describe('Through the local gateway', () => apiTests(() => byContract(gateway.origin, api)));
