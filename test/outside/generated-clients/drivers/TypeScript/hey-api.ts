/** One success and one error with the client of @hey-api/openapi-ts. */
import { createClient, createConfig } from './hey-api/client/index.js';
import { checkInsurance, getInsurance } from './hey-api/index.js';

const { ORIGIN = '', KEY = '' } = process.env;
const client = createClient(createConfig({ baseUrl: `${ORIGIN}/v1`, auth: KEY }));

const { data } = await checkInsurance({ client, body: { registrations: ['AB12CDE', 'KR08NIL', 'ZZ99ZZZ'] } });
for (const { code, insured } of data?.results ?? []) console.log(code ?? (insured ? 'insured' : 'not insured'));

const { error } = await getInsurance({ client, path: { registration: 'ABI2CDE' } });
console.log(error?.status, error?.code, error?.suggestion);
