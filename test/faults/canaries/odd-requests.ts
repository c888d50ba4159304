/** Requests that are refused or fail by what they are: where messages like to quote what they were given. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { generateKey } from '../../../functions/access/api-key.ts';
import type { TestApi } from '../../support/api.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CONTENT = '/v1/api/content';

/** Bytes over what a body may have. */
const TOO_LARGE = 1_000_001;

const item = (word: string) => ({ title: word, content: word, domain: `${word}.example`, slug: word });

const oddKeys = async (api: TestApi, wordFor: () => string): Promise<void> => {
  const path = `/v1/vehicle/${wordFor()}/insurance`;
  const unknown = generateKey('test');
  const known = await api.newKey();
  const narrow = await api.newKey({ scopes: ['content:read'] });
  const revoked = await api.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
  await api.call('GET', path);
  for (const key of [unknown, revoked, `vvc_test_${wordFor()}`, wordFor()]) await api.call('GET', path, { key });
  await api.call('GET', path, { key: narrow });
  await api.call('GET', path, { key: known, headers: { Authorization: `Bearer ${unknown}` } });
  await api.call('GET', path, { headers: { Authorization: `Basic ${Buffer.from(wordFor()).toString('base64')}` } });
  await api.call('GET', path, { headers: { Authorization: `Bearer ${known} ${wordFor()}` } });
};

const oddBodies = async (api: TestApi, key: string, wordFor: () => string): Promise<void> => {
  const bodies = [
    `{"${wordFor()}`,
    `${wordFor()}`,
    JSON.stringify({ ...item(wordFor()), title: { [wordFor()]: wordFor() } }),
    JSON.stringify({ ...item(wordFor()), [wordFor()]: wordFor() }),
    `{"__proto__":"${wordFor()}","constructor":"${wordFor()}"}`,
    JSON.stringify({ ...item(wordFor()), slug: `${wordFor()} ${wordFor()}` }),
    JSON.stringify({ registrations: [wordFor(), 5, `${wordFor()}_`, { [wordFor()]: wordFor() }] }),
    JSON.stringify(wordFor().repeat(TOO_LARGE / wordFor().length + 1)),
  ];
  for (const path of [CONTENT, '/v1/vehicle/bulk-insurance']) {
    for (const raw of bodies) await api.call('POST', path, { key, raw, headers: JSON_TYPE });
    await api.call('POST', path, { key, raw: wordFor(), headers: { 'Content-Type': `text/${wordFor()}` } });
  }
};

const oddPlaces = async (api: TestApi, key: string, wordFor: () => string): Promise<void> => {
  const word = wordFor();
  const apart = `${word.slice(0, 3)}-${word.slice(3, 5)}%20${word.slice(5)}`;
  const paths = [
    `/v1/vehicle/${apart}/insurance`,
    `/v1/vehicle/${wordFor()}_/insurance`,
    `/v1/vehicle/${wordFor().repeat(5)}/insurance`,
    `/v1/vehicle/${wordFor()}%ZZ/insurance`,
    `/v1/compliance/${apart}?q=${wordFor()}`,
    `/v1/compliance/%C3%84_${wordFor()}`,
    `${CONTENT}/${wordFor()}`,
    `${CONTENT}?slug=${wordFor()}`,
    `${CONTENT}?limit=${wordFor()}&offset=${wordFor()}`,
    `${CONTENT}?domain=_${wordFor()}_`,
    `${CONTENT}?domain=${wordFor()}.example&domain=${wordFor()}.example`,
    `/v1/${wordFor()}/${wordFor()}`,
    `/${wordFor()}%2F..%2F${wordFor()}`,
  ];
  const headers = { 'User-Agent': wordFor(), Cookie: `session=${wordFor()}`, 'X-Forwarded-For': wordFor() };
  for (const path of paths) await api.call('GET', path, { key, headers });
  await api.call('PATCH', CONTENT, { key, raw: wordFor() });
};

const conflicts = async (api: TestApi, key: string, wordFor: () => string): Promise<void> => {
  const json = item(wordFor());
  const headers = { 'Idempotency-Key': wordFor() };
  const made = await api.call('POST', CONTENT, { key, json, headers });
  await api.call('POST', CONTENT, { key, json: { ...json, title: wordFor() }, headers });
  await api.call('POST', CONTENT, { key, json });
  await api.call('POST', CONTENT, { key, json, headers: { 'Idempotency-Key': wordFor().repeat(40) } });
  const { id } = made.body as { id: string };
  for (const ifMatch of [`"${wordFor()}"`, wordFor()]) {
    const headers = { 'If-Match': ifMatch };
    await api.call('PUT', `${CONTENT}/${id}`, { key, json: { title: wordFor() }, headers });
    await api.call('DELETE', `${CONTENT}/${id}`, { key, headers });
  }
};

/** Records that the service does not understand: 500, and nothing of them in the log. */
const damagedRecords = async (api: TestApi, key: string, wordFor: () => string): Promise<void> => {
  const word = wordFor();
  const registration = word.toUpperCase();
  for (const TableName of [api.engine.names.vehicles, api.engine.names.compliance]) {
    const Item = { registration: { S: registration }, vehicle: { S: word }, mot: { S: word } };
    await api.engine.client.send(new PutItemCommand({ TableName, Item }));
  }
  await api.call('GET', `/v1/vehicle/${word}/insurance`, { key });
  await api.call('GET', `/v1/compliance/${word}`, { key });
  await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations: [word] } });
};

/** Sends all of them, without any fault of the database. */
export const sendOddRequests = async (api: TestApi, wordFor: () => string): Promise<void> => {
  const key = await api.newKey({ name: wordFor() });
  await oddKeys(api, wordFor);
  await oddBodies(api, key, wordFor);
  await oddPlaces(api, key, wordFor);
  await conflicts(api, key, wordFor);
  await damagedRecords(api, key, wordFor);
};
