/** Requests that are rejected or fail by what they are: error messages tend to quote what they were given. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { generateKey } from '../../../core/access/api-key.ts';
import { startCanaryApi } from './canary-api.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CONTENT = '/v1/api/content';
/** Lookups of one vehicle and of many. A new lookup is one more line. */
const LOOKUPS = [(word: string) => `/v1/vehicle/${word}/insurance`, (word: string) => `/v1/compliance/${word}`];
const BULK_LOOKUPS = ['/v1/vehicle/bulk-insurance', '/v1/vehicle/bulk-compliance'];

/** Bytes over the limit of a body. */
const TOO_LARGE = 1_000_001;

type CanaryApi = Awaited<ReturnType<typeof startCanaryApi>>;

const itemOf = (word: string) => ({ title: word, content: word, domain: `${word}.example`, slug: word });

const unusualKeys = async ({ api, newWord }: CanaryApi): Promise<void> => {
  const path = `/v1/vehicle/${newWord()}/insurance`;
  const unknown = generateKey('live');
  const known = await api.newKey();
  const narrow = await api.newKey({ scopes: ['content:read'] });
  const revoked = await api.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
  const keys = [undefined, unknown, revoked, `vvc_live_${newWord()}`, newWord(), narrow];
  for (const key of keys) await api.call('GET', path, { key });
  const basic = `Basic ${Buffer.from(newWord()).toString('base64')}`;
  await api.call('GET', path, { key: known, headers: { Authorization: `Bearer ${unknown}` } });
  for (const Authorization of [basic, `Bearer ${known} ${newWord()}`]) {
    await api.call('GET', path, { headers: { Authorization } });
  }
};

const unusualBodies = async ({ api, newWord }: CanaryApi, key: string): Promise<void> => {
  const bodies = [
    `{"${newWord()}`,
    newWord(),
    JSON.stringify({ ...itemOf(newWord()), title: { [newWord()]: newWord() } }),
    JSON.stringify({ ...itemOf(newWord()), [newWord()]: newWord() }),
    `{"__proto__":"${newWord()}","constructor":"${newWord()}"}`,
    JSON.stringify({ ...itemOf(newWord()), slug: `${newWord()} ${newWord()}` }),
    JSON.stringify({ registrations: [newWord(), 5, `${newWord()}_`, { [newWord()]: newWord() }] }),
    JSON.stringify(newWord().repeat(TOO_LARGE / newWord().length + 1)),
  ];
  for (const path of [CONTENT, ...BULK_LOOKUPS]) {
    for (const raw of bodies) await api.call('POST', path, { key, raw, headers: JSON_TYPE });
    await api.call('POST', path, { key, raw: newWord(), headers: { 'Content-Type': `text/${newWord()}` } });
  }
};

const unusualPaths = async ({ api, newWord }: CanaryApi, key: string): Promise<void> => {
  const word = newWord();
  const separated = `${word.slice(0, 3)}-${word.slice(3, 5)}%20${word.slice(5)}`;
  const registrations = [separated, `${newWord()}_`, newWord().repeat(5), `${newWord()}%ZZ`, `%C3%84_${newWord()}`];
  const paths = [
    ...LOOKUPS.flatMap((path) => registrations.map(path)),
    `/v1/compliance/${separated}?q=${newWord()}`,
    `${CONTENT}/${newWord()}`,
    `${CONTENT}?slug=${newWord()}`,
    `${CONTENT}?limit=${newWord()}&offset=${newWord()}`,
    `${CONTENT}?domain=_${newWord()}_`,
    `${CONTENT}?domain=${newWord()}.example&domain=${newWord()}.example`,
    `/v1/${newWord()}/${newWord()}`,
    `/${newWord()}%2F..%2F${newWord()}`,
  ];
  const headers = { 'User-Agent': newWord(), Cookie: `session=${newWord()}`, 'X-Forwarded-For': newWord() };
  for (const path of paths) await api.call('GET', path, { key, headers });
  await api.call('PATCH', CONTENT, { key, raw: newWord() });
};

const conflicts = async ({ api, newWord }: CanaryApi, key: string): Promise<void> => {
  const json = itemOf(newWord());
  const headers = { 'Idempotency-Key': newWord() };
  const created = await api.call('POST', CONTENT, { key, json, headers });
  await api.call('POST', CONTENT, { key, json: { ...json, title: newWord() }, headers });
  await api.call('POST', CONTENT, { key, json });
  await api.call('POST', CONTENT, { key, json, headers: { 'Idempotency-Key': newWord().repeat(40) } });
  const { id } = created.body as { id: string };
  for (const version of [`"${newWord()}"`, newWord()]) {
    const condition = { 'If-Match': version };
    await api.call('PUT', `${CONTENT}/${id}`, { key, json: { title: newWord() }, headers: condition });
    await api.call('DELETE', `${CONTENT}/${id}`, { key, headers: condition });
  }
};

/** Records that the service cannot read: 500. */
const damagedRecords = async ({ api, newWord }: CanaryApi, key: string): Promise<void> => {
  const word = newWord();
  for (const TableName of [api.engine.names.vehicles, api.engine.names.compliance]) {
    const Item = { registration: { S: word.toUpperCase() }, vehicle: { S: word }, mot: { S: word } };
    await api.engine.client.send(new PutItemCommand({ TableName, Item }));
  }
  for (const path of LOOKUPS) await api.call('GET', path(word), { key });
  for (const path of BULK_LOOKUPS) await api.call('POST', path, { key, json: { registrations: [word] } });
};

/** For a process of its own (`forkCall`): sends all of them, without faults of the database. */
export const sendUnusualRequests = async () => {
  const canaries = await startCanaryApi();
  const key = await canaries.api.newKey({ name: canaries.newWord() });
  await unusualKeys(canaries);
  await unusualBodies(canaries, key);
  await unusualPaths(canaries, key);
  await conflicts(canaries, key);
  await damagedRecords(canaries, key);
  await canaries.api.stop();
  return { cells: [], sent: canaries.sent() };
};
