/** Drives every operation with the client of @hey-api/openapi-ts. */
import { createClient, createConfig } from './hey-api/client/index.js';
import * as sdk from './hey-api/index.js';
import type { Problem } from './hey-api/types.gen.js';

const { ORIGIN = '', KEY = '', NO_SCOPE_KEY = '', SPENT_KEY = '' } = process.env;
const clientFor = (auth: string) => createClient(createConfig({ baseUrl: `${ORIGIN}/v1`, auth }));
const api = { client: clientFor(KEY) };

const vehicle = (registration: string) => ({ path: { registration } });
const item = (id: string, version = 0) => ({ path: { id }, headers: { 'If-Match': `"${version}"` } });
const content = { title: 'Tyres', content: 'When to fit them.', domain: 'hey.example', slug: 'tyres' };
const once = { headers: { 'Idempotency-Key': 'hey-api' } };
const taken = { domain: 'news.example', slug: 'motoring-news-1' };
const none = { body: { registrations: [] } };

const created = await sdk.createContent({ ...api, ...once, body: content });
const id = created.data?.id ?? '';

const calls = [
  (as: typeof api) => sdk.getInsurance({ ...as, ...vehicle('AB12CDE') }),
  (as: typeof api) => sdk.checkInsurance({ ...as, body: { registrations: ['AB12CDE'] } }),
  (as: typeof api) => sdk.getCompliance({ ...as, ...vehicle('AB12CDE') }),
  (as: typeof api) => sdk.checkCompliance({ ...as, body: { registrations: ['AB12CDE'] } }),
  (as: typeof api) => sdk.listContent({ ...as, query: { domain: content.domain } }),
  (as: typeof api) => sdk.createContent({ ...as, ...once, body: content }),
  (as: typeof api) => sdk.getContent({ ...as, path: { id } }),
  (as: typeof api) => sdk.updateContent({ ...as, ...item(id, 1), body: { title: 'Winter tyres' } }),
  (as: typeof api) => sdk.deleteContent({ ...as, ...item(id, 2) }),
  (as: typeof api) => sdk.getUsage(as),
] as const;

const reason = (error: Problem | undefined): string =>
  error ? [error.status, error.code, error.suggestion ?? []].flat().join(' ') : 'none';

const failures = [
  sdk.getInsurance({ ...api, ...vehicle('!') }),
  sdk.getInsurance({ ...api, ...vehicle('ABI2CDE') }),
  sdk.checkInsurance({ ...api, ...none }),
  sdk.getCompliance({ ...api, ...vehicle('!') }),
  sdk.getCompliance({ ...api, ...vehicle('VE24UNK') }),
  sdk.checkCompliance({ ...api, ...none }),
  sdk.listContent({ ...api, query: { limit: 0, offset: -1 } }),
  sdk.createContent({ ...api, body: { ...content, slug: 'No slug' } }),
  sdk.createContent({ ...api, body: content }),
  sdk.createContent({ ...api, ...once, body: { ...content, title: 'T' } }),
  sdk.getContent({ ...api, path: { id: 'none' } }),
  sdk.updateContent({ ...api, ...item(id, 1), body: { title: '' } }),
  sdk.updateContent({ ...api, ...item('none'), body: { title: 'T' } }),
  sdk.updateContent({ ...api, ...item(id, 1), body: taken }),
  sdk.updateContent({ ...api, ...item(id, 7), body: { title: 'T' } }),
  sdk.deleteContent({ ...api, ...item('none') }),
  sdk.deleteContent({ ...api, ...item(id, 7) }),
];
for (const failure of failures) console.log(reason((await failure).error));
for (const call of calls) {
  for (const key of ['wrong', NO_SCOPE_KEY, SPENT_KEY, KEY])
    console.log(reason((await call({ client: clientFor(key) })).error));
}

const many = await sdk.checkInsurance({ ...api, body: { registrations: ['AB12CDE', 'KR08NIL', 'ZZ99ZZZ'] } });
for (const { code, insured } of many.data?.results ?? []) console.log(code ?? (insured ? 'insured' : 'not insured'));
console.log((await sdk.getInsurance({ ...api, ...vehicle('AB12/CDE') })).error?.detail);
