import { afterAll, beforeAll, describe } from '@jest/globals';
import { blackBoxTests } from './all-tests.ts';
import { type OpenHttpCaller, openHttpCaller } from './http-caller.ts';
import { adminProcess, prepareTarget } from './prepare-target.ts';

/*
 * `TEST_API_ORIGIN=https://… TEST_API_ADMIN='--stack NAME' npm run test:black-box` creates keys and loads the sample
 * vehicles there: not for production. TEST_API_ADMIN names the deployment for the operator CLI, `npm start` by default;
 * TEST_API_HOST, when set, is sent as `Host`.
 */
const LOCAL = '--dynamodb http://127.0.0.1:8000';
const { TEST_API_ORIGIN: origin = '', TEST_API_HOST: host, TEST_API_ADMIN: target = LOCAL } = process.env;

let api: OpenHttpCaller;

beforeAll(async () => {
  if (origin === '') throw new Error('Set TEST_API_ORIGIN to the address of the API, without a path.');
  const admin = adminProcess(target.split(' ').filter(Boolean), process.env);
  api = openHttpCaller({ origin, keys: await prepareTarget(admin, new Date()), ...(host && { host }) });
});
afterAll(() => api?.close());

describe(`The API at ${origin}`, () => blackBoxTests(() => api));
