/** What a refused caller could learn from the look-up that ran beside its admission: by the answer's bytes, and by its time. */
import { randomInt } from 'node:crypto';
import { generateKey } from '../../functions/access/api-key.ts';
import { PLANS, windowAt } from '../../functions/access/plans.ts';
import { usageTable } from '../../functions/access/usage-table.ts';
import type { preparePacedEngine } from '../../test/support/prepared-engine.ts';
import type { FunctionInstance } from '../function-instance/function-instance.ts';
import { lookUpEvent, MOMENT } from '../function-instance/gateway-event.ts';
import type { Invocation } from '../function-instance/instance.ts';

type Engine = Awaited<ReturnType<typeof preparePacedEngine>>;

/** Somebody who is refused, and how. */
interface RefusedCaller {
  readonly name: string;
  readonly status: number;
  readonly key: string;
}

/** What is asked for; the answer must not depend on it. */
const REGISTRATIONS = { known: 'AB12CDE', unknown: 'ZZ99ZZZ', invalid: '!!!' } as const;
export type Asked = keyof typeof REGISTRATIONS;
export const ASKED = Object.keys(REGISTRATIONS) as readonly Asked[];

/** The answers to one refused caller, by what was asked for. */
export interface Refusals {
  readonly caller: RefusedCaller;
  readonly answers: Readonly<Record<Asked, readonly Invocation[]>>;
}

const keyOverItsLimit = async ({ db, names, newKey }: Engine): Promise<string> => {
  const { key, keyId } = await newKey({ plan: 'free' });
  const usage = usageTable(db, names.usage);
  for (let used = 0; used < PLANS.free.requestsPerWindow; used += 1) await usage.increment(keyId, windowAt(MOMENT));
  return key;
};

/** One caller for each way of being refused. */
export const refusedCallers = async (engine: Engine): Promise<readonly RefusedCaller[]> => [
  { name: 'unknown key', status: 401, key: generateKey('test') },
  { name: 'revoked key', status: 401, key: (await engine.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' })).key },
  { name: 'scope missing', status: 403, key: (await engine.newKey({ scopes: ['content:read'] })).key },
  { name: 'over the limit', status: 429, key: await keyOverItsLimit(engine) },
];

const shuffled = <T>(values: readonly T[]): T[] => {
  const order = [...values];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const chosen = randomInt(last + 1);
    const moved = order.splice(chosen, 1);
    order.push(...moved);
  }
  return order;
};

/** Asks as each caller for each registration, `rounds` times, in a new order every time. */
export const refuse = async (
  instance: FunctionInstance,
  callers: readonly RefusedCaller[],
  rounds: number,
): Promise<readonly Refusals[]> => {
  const cases = callers.flatMap((caller) => ASKED.map((asked) => ({ caller, asked, answers: [] as Invocation[] })));
  for (let round = 0; round < rounds; round += 1) {
    const order = shuffled(cases);
    const answers = await instance.invoke(
      order.map(({ caller, asked }) => lookUpEvent(REGISTRATIONS[asked], caller.key)),
    );
    for (const [index, answer] of answers.entries()) order[index]?.answers.push(answer);
  }
  return callers.map((caller) => {
    const of = (wanted: Asked) =>
      cases.flatMap(({ caller: whose, asked, answers }) => (whose === caller && asked === wanted ? answers : []));
    return { caller, answers: { known: of('known'), unknown: of('unknown'), invalid: of('invalid') } };
  });
};

/** How many different answers one caller got, apart from the time they took. */
export const differentAnswers = ({ answers }: Refusals): number =>
  new Set(ASKED.flatMap((asked) => answers[asked].map(({ ms: _, ...answer }) => JSON.stringify(answer)))).size;
