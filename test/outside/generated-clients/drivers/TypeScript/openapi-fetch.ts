/** One success and one error with the types of openapi-typescript and the client of openapi-fetch. */
import createClient from 'openapi-fetch';
import type { paths } from './openapi-typescript.js';

const { ORIGIN = '', KEY = '' } = process.env;
const api = createClient<paths>({ baseUrl: `${ORIGIN}/v1`, headers: { 'X-API-Key': KEY } });

const { data } = await api.POST('/vehicle/bulk-insurance', {
  body: { registrations: ['AB12CDE', 'KR08NIL', 'ZZ99ZZZ'] },
});
for (const { code, insured } of data?.results ?? []) console.log(code ?? (insured ? 'insured' : 'not insured'));

const { error } = await api.GET('/vehicle/{registration}/insurance', { params: { path: { registration: 'ABI2CDE' } } });
console.log(error?.status, error?.code, error?.suggestion);
