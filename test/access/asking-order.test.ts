import { expect, it } from '@jest/globals';
import { generateKey, presentedKey } from '../../functions/access/api-key.ts';
import { recentlyAdmittedKeys } from '../../functions/access/recently-admitted-keys.ts';
import { admissionBesideLoad } from '../../functions/middleware/admission.ts';
import { requestContextOf, type StackRequest } from '../../functions/middleware/request-context.ts';

it('admission asks the database before a lookup does, so that a rejection does not wait for what was found to be parsed', async () => {
  const asked: string[] = [];
  const ask = (what: string) => async () => {
    asked.push(what);
    return undefined;
  };
  const store = { findKey: ask('key'), incrementUsage: async () => asked.push('counter') };
  const context = requestContextOf({}, undefined);
  Object.assign(context, { key: presentedKey({ 'x-api-key': generateKey('test') }) });
  const load = { before: async () => void (await ask('vehicle')()) };

  const { before } = admissionBesideLoad(store, 'vehicles:read', load, recentlyAdmittedKeys());

  await expect(before({ event: context } as StackRequest)).rejects.toThrow('Send a valid API key');
  expect(asked).toEqual(['key', 'counter', 'vehicle']);
});
