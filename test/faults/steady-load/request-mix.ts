import fc from 'fast-check';

/** A request as it is sent. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  /** Another key than the caller's own. */
  readonly key?: string;
  readonly body?: string;
}

/** A kind of request in the mix. */
export interface RequestKind {
  readonly name: string;
  /** How many of a hundred requests are of it. */
  readonly share: number;
  /** The only status that is right. */
  readonly status: number;
  readonly make: () => LoadRequest;
  /** Reads a right answer's body. */
  readonly learn?: (body: string) => void;
}

/** What the requests are about. */
export interface RequestData {
  /** Registrations that are known, all of them with a compliance record. */
  readonly registrations: readonly string[];
  /** Content items that nobody deletes. */
  readonly lasting: readonly string[];
  /** A well-formed key that nobody has. */
  readonly unknownKey: string;
}

const CONTENT = '/v1/api/content';
const UNKNOWN_VEHICLE = 'ZZ99ZZZ';
const PER_BULK = 10;

/** The values over and over. */
const inTurn = (values: readonly string[]): (() => string) => {
  let next = 0;
  return () => {
    next += 1;
    return values[next % values.length] ?? '';
  };
};

/** Each right creation's item is deleted later, so that as many are stored at the end as in the beginning. */
const creationsAndDeletions = (): RequestKind[] => {
  const created: string[] = [];
  let slugs = 0;
  const make = (): LoadRequest => {
    slugs += 1;
    const body = { title: 'Created', content: 'Text '.repeat(100), domain: 'load.example', slug: `item-${slugs}` };
    return { method: 'POST', path: CONTENT, body: JSON.stringify(body) };
  };
  return [
    { name: 'create', share: 8, status: 201, make, learn: (body) => created.push(JSON.parse(body).id) },
    {
      name: 'delete',
      share: 8,
      status: 204,
      make: () => ({ method: 'DELETE', path: `${CONTENT}/${created.shift()}` }),
    },
  ];
};

/** Every endpoint, and what callers get wrong. Shares add up to a hundred. */
export const requestKinds = ({ registrations, lasting, unknownKey }: RequestData): readonly RequestKind[] => {
  const vehicle = inTurn(registrations);
  const item = inTurn(lasting);
  const get = (path: () => string) => () => ({ method: 'GET', path: path() });
  const bulk = () =>
    JSON.stringify({ registrations: [UNKNOWN_VEHICLE, ...Array.from({ length: PER_BULK - 1 }, vehicle)] });
  return [
    { name: 'lookup', share: 30, status: 200, make: get(() => `/v1/vehicle/${vehicle()}/insurance`) },
    { name: 'unknown vehicle', share: 5, status: 404, make: get(() => `/v1/vehicle/${UNKNOWN_VEHICLE}/insurance`) },
    {
      name: 'bulk of 10',
      share: 10,
      status: 200,
      make: () => ({ method: 'POST', path: '/v1/vehicle/bulk-insurance', body: bulk() }),
    },
    { name: 'compliance', share: 15, status: 200, make: get(() => `/v1/compliance/${vehicle()}`) },
    { name: 'list', share: 8, status: 200, make: get(() => `${CONTENT}?domain=news.example&limit=20`) },
    { name: 'read', share: 8, status: 200, make: get(() => `${CONTENT}/${item()}`) },
    {
      name: 'update',
      share: 4,
      status: 200,
      make: () => ({ method: 'PUT', path: `${CONTENT}/${item()}`, body: JSON.stringify({ title: 'Changed' }) }),
    },
    ...creationsAndDeletions(),
    { name: 'unknown path', share: 1, status: 404, make: get(() => '/v1/nowhere') },
    {
      name: 'wrong key',
      share: 2,
      status: 401,
      make: () => ({ method: 'GET', path: `/v1/vehicle/${vehicle()}/insurance`, key: unknownKey }),
    },
    {
      name: 'malformed body',
      share: 1,
      status: 400,
      make: () => ({ method: 'POST', path: CONTENT, body: '{"title": ' }),
    },
  ];
};

/** So many hundreds of requests, each kind as often as its share in each of them, in orders that the seed decides. */
export const inRandomOrder = (
  kinds: readonly RequestKind[],
  hundreds: number,
  seed: number,
): readonly RequestKind[] => {
  const hundred = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
  const whole = { minLength: hundred.length, maxLength: hundred.length };
  return fc.sample(fc.shuffledSubarray(hundred, whole), { seed, numRuns: hundreds }).flat();
};
