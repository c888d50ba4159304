/** Who looks a vehicle up, side by side: the floor, the product, and the same look-up on each framework. */

/** `floor` is the measure of the ratios; the product promises to be ahead of each `framework`. */
export type Role = 'floor' | 'product' | 'framework' | 'for comparison';

/** One that looks a vehicle up. */
export interface Peer {
  /** The name of its source, beside this file; the product's is in functions/. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Which validator looks at the registration, and what else differs. */
  readonly does: string;
  /** Of its bundle. The frameworks start alike in both, so they have the floor's. */
  readonly format: 'esm' | 'cjs';
}

const RAW = 'the three requests and the stored item as JSON; no admission, no validation, no rules, no log';

/** The measure of all ratios, as an ES module: the form of AWS's own examples. */
export const RAW_PEER: Peer = {
  id: 'raw',
  name: 'raw SDK handler',
  role: 'floor',
  does: RAW,
  format: 'esm',
};

/** So that nobody need wonder what the form does. */
export const RAW_AS_COMMONJS: Peer = {
  id: 'raw',
  name: 'raw, CommonJS',
  role: 'for comparison',
  does: RAW,
  format: 'cjs',
};

/** The bundle that is deployed. */
export const PRODUCT: Peer = {
  id: 'vehicle-insurance',
  name: 'this API',
  role: 'product',
  does: 'everything, log line and metrics included; the bundle that is deployed',
  format: 'cjs',
};

/** In the order of the tables. */
export const PEERS: readonly Peer[] = [
  RAW_PEER,
  PRODUCT,
  RAW_AS_COMMONJS,
  {
    id: 'middy',
    name: 'middy',
    role: 'framework',
    does: '@middy/validator (ajv compiles its schema at start), @middy/http-error-handler',
    format: 'esm',
  },
  { id: 'hono', name: 'Hono', role: 'framework', does: 'hono/validator with a check by hand', format: 'esm' },
  { id: 'express', name: 'Express', role: 'framework', does: 'serverless-http; a check by hand', format: 'esm' },
  {
    id: 'fastify',
    name: 'Fastify',
    role: 'framework',
    does: '@fastify/aws-lambda; its own JSON Schema validation',
    format: 'esm',
  },
  {
    id: 'powertools',
    name: 'Powertools router',
    role: 'framework',
    does: 'its validation with a Standard Schema by hand',
    format: 'esm',
  },
];
