/** Drives every operation with the types of openapi-typescript and the client of openapi-fetch. */
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.js';

const { ORIGIN = '', KEY = '', NO_SCOPE_KEY = '', SPENT_KEY = '' } = process.env;
const clientFor = (key: string) => createClient<paths>({ baseUrl: `${ORIGIN}/v1`, headers: { 'X-API-Key': key } });
const api = clientFor(KEY);

const vehicle = (registration: string) => ({ params: { path: { registration } } });
const item = (id: string, version = 0) => ({ params: { path: { id }, header: { 'If-Match': `"${version}"` } } });
const content = { title: 'Tyres', content: 'When to fit them.', domain: 'fetch.example', slug: 'tyres' };
const none = { body: { registrations: [] } };
const taken = { domain: 'news.example', slug: 'motoring-news-1' };
const one = { body: { registrations: ['AB12CDE'] } };
const once = { params: { header: { 'Idempotency-Key': 'openapi-fetch' } } };
/** A query parameter of another operation, which the types do not have. */
const misplaced = { querySerializer: () => 'limit=5' };

const created = await api.POST('/api/content', { ...once, body: content });
const id = created.data?.id ?? '';

const calls = [
  (as: typeof api) => as.GET('/vehicle/{registration}/insurance', vehicle('AB12CDE')),
  (as: typeof api) => as.POST('/vehicle/bulk-insurance', one),
  (as: typeof api) => as.GET('/compliance/{registration}', vehicle('AB12CDE')),
  (as: typeof api) => as.POST('/vehicle/bulk-compliance', one),
  (as: typeof api) => as.GET('/api/content', { params: { query: { domain: content.domain } } }),
  (as: typeof api) => as.POST('/api/content', { ...once, body: content }),
  (as: typeof api) => as.GET('/api/content/{id}', { params: { path: { id } } }),
  (as: typeof api) => as.PUT('/api/content/{id}', { ...item(id, 1), body: { title: 'Winter tyres' } }),
  (as: typeof api) => as.DELETE('/api/content/{id}', item(id, 2)),
  (as: typeof api) => as.GET('/usage'),
] as const;

const reason = (error: components['schemas']['Problem'] | undefined): string =>
  error ? [error.status, error.code, error.suggestion ?? []].flat().join(' ') : 'none';

const failures = [
  api.GET('/vehicle/{registration}/insurance', vehicle('!')),
  api.GET('/vehicle/{registration}/insurance', vehicle('ABI2CDE')),
  api.POST('/vehicle/bulk-insurance', none),
  api.GET('/compliance/{registration}', vehicle('!')),
  api.GET('/compliance/{registration}', vehicle('VE24UNK')),
  api.POST('/vehicle/bulk-compliance', none),
  api.GET('/api/content', { params: { query: { limit: 0, offset: -1 } } }),
  api.POST('/api/content', { body: { ...content, slug: 'No slug' } }),
  api.POST('/api/content', { body: content }),
  api.POST('/api/content', { ...once, body: { ...content, title: 'T' } }),
  api.GET('/api/content/{id}', { params: { path: { id: 'none' } } }),
  api.PUT('/api/content/{id}', { ...item(id, 1), body: { title: '' } }),
  api.PUT('/api/content/{id}', { ...item('none'), body: { title: 'T' } }),
  api.PUT('/api/content/{id}', { ...item(id, 1), body: taken }),
  api.PUT('/api/content/{id}', { ...item(id, 7), body: { title: 'T' } }),
  api.DELETE('/api/content/{id}', item('none')),
  api.DELETE('/api/content/{id}', item(id, 7)),
  api.GET('/api/content/{id}', { params: { path: { id } }, ...misplaced }),
  api.DELETE('/api/content/{id}', { ...item(id, 1), ...misplaced }),
  api.GET('/usage', misplaced),
];
for (const failure of failures) console.log(reason((await failure).error));
for (const call of calls) {
  for (const key of ['wrong', NO_SCOPE_KEY, SPENT_KEY, KEY]) console.log(reason((await call(clientFor(key))).error));
}

console.log((await api.GET('/vehicle/{registration}/insurance', vehicle('AB12/CDE'))).error?.detail);
