import { expect, it } from '@jest/globals';
import { generateKey, parseApiKey } from '../../core/access/api-key.ts';
import { recentKeys } from '../../core/access/recent-keys.ts';
import { admissionBesideLoad } from '../../functions/http/admission.ts';
import { httpRequest } from '../support/http-request.ts';

it('Admission sends its requests before those of the lookup, whose parsing would delay a rejection', async () => {
  const sent: string[] = [];
  const send = async (request: string) => void sent.push(request);
  const findKey = async () => {
    await send('key');
    return undefined;
  };
  const store = { findKey, incrementUsage: async () => sent.push('counter'), overused: recentKeys<number>() };
  const key = parseApiKey(generateKey('test'));
  if (key === undefined) throw new Error('The generated key is malformed');
  const load = { before: () => send('vehicle') };
  const { before } = admissionBesideLoad(store, 'vehicles:read', load, recentKeys());
  await expect(before(httpRequest({}, { key }))).rejects.toThrow('Send a valid API key');
  expect(sent).toEqual(['key', 'counter', 'vehicle']);
});
