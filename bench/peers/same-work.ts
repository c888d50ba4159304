import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../../tools/report/report.ts';
import { STUB_TABLES } from '../stub/table-names.ts';
import type { Bundle } from './bundle.ts';
import type { ObservedStart } from './cold-starts.ts';
import type { Answer } from './load-handler.ts';
import { PRODUCT } from './peers.ts';

/** What a look-up asks of the database: each once. */
const REQUESTS = {
  [`GetItem ${STUB_TABLES.keys}`]: 1,
  [`UpdateItem ${STUB_TABLES.usage}`]: 1,
  [`GetItem ${STUB_TABLES.vehicles}`]: 1,
};

/** Those of the rate limit headers that do not change with the time. */
const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining'];

/** An answer as its caller reads it, without the headers that a framework is free in. */
const readByCaller = ({ statusCode, headers = {}, body }: Answer) => {
  const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { statusCode, limits: sent.filter(([name]) => RATE_LIMIT_HEADERS.includes(name)), body: JSON.parse(body) };
};

/** Whether all peers sent the same requests and all frameworks answered as the product did, in every start. */
export const sameWorkFinding = (starts: ReadonlyMap<Bundle, readonly ObservedStart[]>): Finding => {
  const [product] = [...starts].flatMap(([{ peer }, [first]]) => (peer === PRODUCT && first ? [first] : []));
  const expected = product && readByCaller(product.answer);
  const isSame = (framework: boolean) => (start: ObservedStart) =>
    isDeepStrictEqual({ ...start.requests }, REQUESTS) &&
    (framework ? isDeepStrictEqual(readByCaller(start.answer), expected) : start.answer.statusCode === 200);
  const others = [...starts]
    .filter(([{ peer }, all]) => !all.every(isSame(peer.role === 'framework')))
    .map(([{ peer }]) => peer.name);
  return {
    promise: 'all send the same three requests; the frameworks answer with the same status, body and limit headers',
    found: others.length === 0 ? `${starts.size} of ${starts.size}` : `otherwise: ${others.join(', ')}`,
    holds: others.length === 0,
  };
};
