/** Verifies a signed answer with a saved key set: `node receipt.ts receipt.jwt jwks.json https://api.example.com` */
import { readFileSync } from 'node:fs';
import { createLocalJWKSet, jwtVerify } from 'jose';

interface Claims {
  readonly sandbox?: boolean;
  readonly answer: { readonly registration?: string; readonly insured?: boolean };
}

const [receipt = '', keys = '', issuer = ''] = process.argv.slice(2);
const keySet = createLocalJWKSet(JSON.parse(readFileSync(keys, 'utf8')));
const { payload } = await jwtVerify<Claims>(readFileSync(receipt, 'utf8').trim(), keySet, {
  // Never the algorithm that the receipt names.
  algorithms: ['ES256'],
  typ: 'vehicle-answer+jwt',
  issuer,
});
const { registration, insured } = payload.answer;
if (insured === undefined) throw new Error('This is no answer about one insurance.');
if (payload.sandbox) console.log('From the sandbox:');
console.log(registration, insured ? 'insured' : 'not insured');
