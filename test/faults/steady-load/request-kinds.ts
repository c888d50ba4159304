/** A request to every endpoint, and what callers get wrong. A new endpoint is one row. */
import { generateKey } from '../../../core/access/api-key.ts';
import { SAMPLE_CONTENT } from '../../../lib/local/sample-content.ts';
import { sampleComplianceRecords } from '../../../lib/local/sample-database.ts';

interface LoadRequest {
  readonly method: string;
  readonly path: string;
  /** Another key than the caller's own. */
  readonly key?: string;
  readonly body?: string;
}

export interface RequestKind {
  readonly name: string;
  /** Requests of this kind out of a hundred. */
  readonly share: number;
  /** The only status that is right. */
  readonly status: number;
  readonly make: () => LoadRequest;
  /** Reads the body of a right response. */
  readonly onBody?: (body: string) => void;
}

const CONTENT = '/v1/api/content';
const UNKNOWN = 'ZZ99ZZZ';
const PER_BULK = 10;

const inTurn = (values: readonly string[]): (() => string) => {
  let next = 0;
  return () => values[next++ % values.length] ?? '';
};

/** Shares add up to a hundred. Each created item is deleted later, so that the number of stored items stays the same. */
export const requestKinds = (now: Date): readonly RequestKind[] => {
  const vehicle = inTurn(sampleComplianceRecords(now).map(({ registration }) => registration));
  const item = inTurn(SAMPLE_CONTENT.flatMap(({ id }) => id ?? []));
  const created: string[] = [];
  let slugs = 0;
  const get = (path: () => string, key?: string) => () => ({ method: 'GET', path: path(), ...(key && { key }) });
  const post = (path: string, body: () => string) => () => ({ method: 'POST', path, body: body() });
  const bulk = () => JSON.stringify({ registrations: [UNKNOWN, ...Array.from({ length: PER_BULK - 1 }, vehicle)] });
  const fields = () => {
    slugs += 1;
    return { title: 'Created', content: 'Text '.repeat(100), domain: 'load.example', slug: `item-${slugs}` };
  };
  const title = JSON.stringify({ title: 'Changed' });
  const insurance = () => `/v1/vehicle/${vehicle()}/insurance`;
  return [
    { name: 'lookup', share: 24, status: 200, make: get(insurance) },
    { name: 'unknown vehicle', share: 5, status: 404, make: get(() => `/v1/vehicle/${UNKNOWN}/insurance`) },
    { name: 'bulk of 10', share: 10, status: 200, make: post('/v1/vehicle/bulk-insurance', bulk) },
    { name: 'compliance', share: 15, status: 200, make: get(() => `/v1/compliance/${vehicle()}`) },
    { name: 'bulk compliance', share: 4, status: 200, make: post('/v1/vehicle/bulk-compliance', bulk) },
    { name: 'usage', share: 2, status: 200, make: get(() => '/v1/usage') },
    { name: 'list', share: 8, status: 200, make: get(() => `${CONTENT}?domain=news.example&limit=20`) },
    { name: 'read', share: 8, status: 200, make: get(() => `${CONTENT}/${item()}`) },
    {
      ...{ name: 'update', share: 4, status: 200 },
      make: () => ({ method: 'PUT', path: `${CONTENT}/${item()}`, body: title }),
    },
    {
      ...{ name: 'create', share: 8, status: 201 },
      make: post(CONTENT, () => JSON.stringify(fields())),
      onBody: (body) => created.push(JSON.parse(body).id),
    },
    {
      ...{ name: 'delete', share: 8, status: 204 },
      make: () => ({ method: 'DELETE', path: `${CONTENT}/${created.shift()}` }),
    },
    { name: 'unknown path', share: 1, status: 404, make: get(() => '/v1/nowhere') },
    { name: 'wrong key', share: 2, status: 401, make: get(insurance, generateKey('live')) },
    { name: 'malformed body', share: 1, status: 400, make: post(CONTENT, () => '{"title": ') },
  ];
};
