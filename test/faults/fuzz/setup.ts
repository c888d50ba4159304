import fc from 'fast-check';
import pLimit from 'p-limit';
import { contentTable } from '../../../core/content/content-table.ts';
import { deadlineIn } from '../../../core/runtime/deadline.ts';
import { startGateway } from '../../../lib/local/gateway/gateway.ts';
import { fillDomain } from '../../support/content.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';
import { steppingClock } from '../../support/stepping-clock.ts';

const DOMAIN = 'fuzz.example';
const ITEMS = 300;
/** Enough on a busy machine. */
const DEADLINE_MS = 20_000;
/** How often the key that is admitted everywhere is among the choices. */
const ADMITTED_KEYS = 14;
/** Values made at a time: few, so that they follow what the service has stored meanwhile. */
const CHUNK = 250;
/** Fewer than any plan allows, so that no request is rate limited. */
export const REQUESTS_PER_WINDOW = 50;

/** For a process of its own (`forkCall`), on the engine that its environment names. */
export const startSteppingGateway = () => startGateway({ port: 0, clock: steppingClock(REQUESTS_PER_WINDOW) });

/** Sample data, items and keys on an engine in a process of its own; sets this process's environment for it. */
export const prepareFuzzing = async () => {
  const { db, names, key, newKey, close } = await prepareEngine();
  const others = [
    ...[{ plan: 'standard' }, { plan: 'free' }, { scopes: ['vehicles:read'] }, { scopes: ['content:read'] }],
    ...[{ revokedAt: '2020-01-01T00:00:00.000Z' }, { expires: '2020-01-01' }],
  ] as const;
  const keys = Array(ADMITTED_KEYS).fill(key);
  for (const record of others) keys.push((await newKey(record)).key);
  await fillDomain(db, names.content, DOMAIN, ITEMS);
  const content = contentTable(db, names.content, 'live');
  const page = await content.list({ domain: DOMAIN }, { offset: 0, limit: ITEMS }, deadlineIn(DEADLINE_MS));
  const ids = page.items.map(({ id }) => id);
  let oldest = 0;
  return {
    premiumKey: key,
    keys: keys as readonly string[],
    /** Of items that exist or did. */
    contentIds: (): readonly string[] => ids,
    /** A new item replaces the oldest one. */
    keepId: (id: string): void => {
      ids[oldest % ids.length] = id;
      oldest += 1;
    },
    close,
  };
};

/** Does the work for `count` values, so many at once. The arbitrary is made again for each chunk. */
export const forSamples = async <T>(
  { count, seed, concurrency }: { readonly count: number; readonly seed: number; readonly concurrency: number },
  arbitrary: () => fc.Arbitrary<T>,
  work: (value: T, nth: number) => Promise<void>,
): Promise<void> => {
  const turn = pLimit(concurrency);
  for (let made = 0; made < count; made += CHUNK) {
    const values = fc.sample(arbitrary(), { numRuns: Math.min(CHUNK, count - made), seed: seed + made });
    await Promise.all(values.map((value, index) => turn(work, value, made + index)));
  }
};
