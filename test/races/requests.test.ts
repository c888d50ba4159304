/** What concurrent requests do to content, and what a change of a key does to a request and to another change. */
import { expect, it } from '@jest/globals';
import { database } from '../../core/aws/database.ts';
import { inconsistenciesOf, someFields } from '../support/content.ts';
import { runAdminCommand } from '../support/use-admin.ts';
import { type Call, liveId, useApi } from '../support/use-api.ts';

const api = useApi();
const CONTENT = '/v1/api/content';

/** Runs `late`, whose first call of an operation waits until `early` has ended. @returns the results of both */
const race = async <Late, Early>(
  late: () => Promise<Late>,
  operation: RegExp,
  early: () => Promise<Early>,
): Promise<[Late, Early]> => {
  let ending: Promise<Early> | undefined;
  database().middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (ending === undefined && operation.test(commandName)) {
          ending = early();
          await ending;
        }
        return next(args);
      },
    { step: 'initialize', name: 'race', override: true },
  );
  const result = await late();
  if (ending === undefined) throw new Error(`The call ${operation} did not come, so nothing was concurrent.`);
  return [result, await ending];
};

const send = (method: string, path: string, call: Call = {}) => api.call(method, path, { key: api.key, ...call });
const create = (slug: string, call: Call = {}) =>
  send('POST', CONTENT, { json: someFields('a.example', slug), ...call });
const created = async (slug: string) => `${CONTENT}/${(await create(slug)).body.id}`;

const inconsistencies = () => inconsistenciesOf(api.engine.client, api.engine.names.content);
const aTransaction = /TransactWrite/;

it('Of two items that are created with one slug, the second is 409', async () => {
  const request = () => create('twice');
  const [late, early] = await race(request, aTransaction, request);
  expect(early.status).toBe(201);
  expect(late).toMatchObject({ status: 409, body: { code: 'SLUG_TAKEN' } });
  expect(await inconsistencies()).toEqual([]);
});

it('An update of an item that is deleted meanwhile is 404 and does not bring it back', async () => {
  const item = await created('deleted');
  const update = () => send('PUT', item, { json: { title: 'New' } });
  const [late, early] = await race(update, aTransaction, () => send('DELETE', item));
  expect([early.status, late.status]).toEqual([204, 404]);
  expect(await inconsistencies()).toEqual([]);
});

it('A creation that is sent twice with one Idempotency-Key creates one item', async () => {
  const request = () => create('once', { headers: { 'Idempotency-Key': 'once' } });
  const [late, early] = await race(request, aTransaction, request);
  expect([early.status, late.status]).toEqual([201, 201]);
  expect(late.body).toEqual(early.body);
  expect(await inconsistencies()).toEqual([]);
});

it('An item that moves to another domain while it is deleted is counted in no list', async () => {
  const item = await created('moved');
  const move = () => send('PUT', item, { json: { domain: 'b.example' } });
  const [late, early] = await race(() => send('DELETE', item), aTransaction, move);
  expect([early.status, late.status]).toEqual([200, 204]);
  expect(await inconsistencies()).toEqual([]);
});

it('A list does not show an item that moves to another domain while the list is read', async () => {
  const item = await created('leaving');
  const list = () => send('GET', `${CONTENT}?domain=a.example`);
  const move = () => send('PUT', item, { json: { domain: 'b.example' } });
  const [late, early] = await race(list, /BatchGet/, move);
  expect([early.status, late.status]).toEqual([200, 200]);
  expect(late.body.items).not.toContainEqual(expect.objectContaining({ domain: 'b.example' }));
});

it('A list that gets an item while it is read has a total of at least what it shows', async () => {
  const list = () => send('GET', `${CONTENT}?domain=grows.example`);
  const grow = () => create('new', { json: someFields('grows.example', 'new') });
  const [late, early] = await race(list, /Query/, grow);
  expect([early.status, late.status]).toEqual([201, 200]);
  expect(late.body).toMatchObject({ total: 1, items: [{ slug: 'new' }] });
});

it('A request whose key is rotated at once before it is read is 401, also where the key was in force before', async () => {
  const key = await api.newKey();
  const id = liveId(key);
  const request = () => send('GET', '/v1/usage', { key });
  expect((await request()).status).toBe(200);
  const [late, early] = await race(request, /GetItem/, () =>
    runAdminCommand(['keys', 'rotate', id, '--overlap-days', '0', '--dynamodb', api.engine.endpoint], api.engine.names),
  );
  expect([early.exitCode, late.status]).toEqual([0, 401]);
});
