import { describe, expect, it } from '@jest/globals';
import { library } from './installed-package.ts';
import { USAGE } from './stub-service.ts';
import { virtualTime } from './virtual-time.ts';

const { VehicleVerification } = library;

interface Bulk {
  readonly registrations: readonly string[];
}
type Answer = (bulk: Bulk, nth: number) => Response | Promise<Response>;

const entriesOf = ({ registrations }: Bulk) =>
  Response.json({ results: registrations.map((registration) => ({ registration, insured: true, policy: null })) });

/** A client of a service with this bulk size. `asked` has the registrations of each bulk request. */
const clientOf = (answer: Answer, usage: object = { limits: { ...USAGE.limits, registrationsPerBulk: 500 } }) => {
  const asked: (readonly string[])[] = [];
  const send: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/usage')) return Response.json({ ...USAGE, ...usage });
    const bulk = JSON.parse(String(init?.body)) as Bulk;
    asked.push(bulk.registrations);
    return answer(bulk, asked.length);
  };
  const options = { baseUrl: 'https://api.example.com/v1', apiKey: 'key', fetch: send, timing: virtualTime().timing };
  const client = new VehicleVerification(options);
  return { client, asked };
};
const named = (count: number) => Array.from({ length: count }, (_, index) => `X${index}`);

describe('A bulk lookup', () => {
  it('splits a long list by the size of the plan and keeps its order', async () => {
    const { client, asked } = clientOf(entriesOf);
    const results = await client.verify(named(1_201));
    expect(results.map(({ registration }) => registration)).toEqual(named(1_201));
    expect(asked.map(({ length }) => length)).toEqual([500, 500, 201]);
  });

  it('sends at most 1,000 registrations in one request, whatever the plan allows', async () => {
    const { client, asked } = clientOf(entriesOf, { limits: { ...USAGE.limits, registrationsPerBulk: 5_000 } });
    await client.verify(named(1_001));
    expect(asked.map(({ length }) => length)).toEqual([1_000, 1]);
  });

  it('halves its requests when the plan has become smaller', async () => {
    const headers = { 'Content-Type': 'application/problem+json' };
    const tooLarge = () => Response.json({ status: 400, code: 'BULK_TOO_LARGE' }, { status: 400, headers });
    const { client, asked } = clientOf((bulk) => (bulk.registrations.length > 150 ? tooLarge() : entriesOf(bulk)));
    const results = await client.verify(named(500));
    expect(results.map(({ registration }) => registration)).toEqual(named(500));
    expect(asked.map(({ length }) => length)).toEqual([500, 250, 125, 125, 250, 125, 125]);
    await client.verify(named(250));
    expect(asked.slice(7).map(({ length }) => length)).toEqual([125, 125]);
  });

  it('sends four concurrent requests, and aborts the others when one fails', async () => {
    let open = 0;
    let most = 0;
    const { client, asked } = clientOf(async (bulk, nth) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      if (nth === 5) return new Response('{}', { status: 403 });
      return entriesOf(bulk);
    });
    const outcome = await client.verify(named(5_000)).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ name: 'ApiProblem', status: 403 });
    expect(most).toBe(4);
    expect(asked.length).toBeLessThan(10);
  });

  it('rejects a response that is not for its registrations', async () => {
    for (const body of [{ results: [] }, { results: 'x' }, {}, null]) {
      const { client } = clientOf(() => Response.json(body));
      await expect(client.verify(['A1'])).rejects.toThrow('is for registrations other than those requested.');
    }
  });

  it.each<[string, unknown]>([
    ['another registration', { registration: 'X0', insured: true, policy: null }],
    ['no verdict', { registration: 'X1' }],
    ['a verdict of another kind', { registration: 'X1', insured: 'true' }],
    ['an empty code', { registration: 'X1', insured: true, code: '' }],
    ['no entry', null],
  ])('has an error entry where the response has %s', async (_title, entry) => {
    const right = { registration: 'X0', insured: true, policy: null };
    const { client, asked } = clientOf(() => Response.json({ results: [right, entry] }));
    const error = 'The response is not for this registration, or has no verdict.';
    const wrong = { registration: 'X1', insured: false, code: 'INVALID_ANSWER', error };
    expect(await client.verify(named(2))).toEqual([right, wrong]);
    expect(asked).toHaveLength(1);
    // A verdict on insurance is not one on compliance.
    const invalid = { compliant: false, code: 'INVALID_ANSWER' };
    expect(await client.verifyCompliance(named(2))).toMatchObject([invalid, invalid]);
  });

  it.each([0, -5, null])('is rejected for a usage with the bulk size %j', async (registrationsPerBulk) => {
    const { client, asked } = clientOf(entriesOf, { limits: { ...USAGE.limits, registrationsPerBulk } });
    await expect(client.verify(named(101))).rejects.toThrow('The response is not the usage of a key with its limits.');
    expect(asked).toEqual([]);
  });
});
