/** Calls every operation with the types of openapi-typescript and the client of openapi-fetch. */
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.js';

const { ORIGIN = '', KEY = '' } = process.env;
const api = createClient<paths>({ baseUrl: `${ORIGIN}/v1`, headers: { 'X-API-Key': KEY } });

const vehicle = (registration: string) => ({ params: { path: { registration } } });
const item = (id: string, version: number) => ({ params: { path: { id }, header: { 'If-Match': `"${version}"` } } });
const content = { title: 'Tyres', content: 'When to fit them.', domain: 'fetch.example', slug: 'tyres' };
const one = { body: { registrations: ['AB12CDE'] } };
const once = { params: { header: { 'Idempotency-Key': 'openapi-fetch' } } };

/** The outcome of a call: `200`, or of an error its status, code and suggestion. */
const outcome = ({ response, error }: { response: Response; error?: components['schemas']['Problem'] }): string =>
  [response.status, error?.code ?? [], error?.suggestion ?? []].flat().join(' ');

const created = await api.POST('/api/content', { ...once, body: content });
const id = created.data?.id ?? '';

console.log(outcome(created));
console.log(outcome(await api.GET('/vehicle/{registration}/insurance', vehicle('AB12CDE'))));
console.log(outcome(await api.POST('/vehicle/bulk-insurance', one)));
console.log(outcome(await api.GET('/compliance/{registration}', vehicle('AB12CDE'))));
console.log(outcome(await api.POST('/vehicle/bulk-compliance', one)));
console.log(outcome(await api.GET('/api/content', { params: { query: { domain: content.domain } } })));
console.log(outcome(await api.GET('/api/content/{id}', { params: { path: { id } } })));
console.log(outcome(await api.PUT('/api/content/{id}', { ...item(id, 1), body: { title: 'Winter tyres' } })));
console.log(outcome(await api.DELETE('/api/content/{id}', item(id, 2))));
console.log(outcome(await api.GET('/usage')));
console.log(outcome(await api.GET('/vehicle/{registration}/insurance', vehicle('ABI2CDE'))));
console.log((await api.GET('/vehicle/{registration}/insurance', vehicle('AB12/CDE'))).error?.detail);
