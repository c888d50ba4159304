import { expect, it } from '@jest/globals';
import { generateKey } from '../../functions/access/api-key.ts';
import { admission } from '../../functions/middleware/admission.ts';
import { readEvent, type StackRequest } from '../../functions/middleware/flow.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';

it('admission asks the database before a look-up does, so that a refusal does not wait for what was found to be parsed', async () => {
  const asked: string[] = [];
  const ask = (what: string) => async () => {
    asked.push(what);
    return undefined;
  };
  const register = { findKey: ask('key'), raise: async () => asked.push('counter') };
  const event = { headers: { 'x-api-key': generateKey('test') } };
  const request = { internal: { flow: readEvent(event, {} as never, deadlineIn(1_000)) } };

  const before = admission(register, undefined, { load: ask('vehicle') }).before(request as StackRequest);

  await expect(before).rejects.toThrow('Send a valid API key');
  expect(asked).toEqual(['key', 'counter', 'vehicle']);
});
