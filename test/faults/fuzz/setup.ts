import { contentTable } from '../../../functions/content/content-table.ts';
import { deadlineIn } from '../../../functions/runtime/deadline.ts';
import { startGateway } from '../../../lib/local/gateway/gateway.ts';
import { fillDomain } from '../../support/content.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';
import { steppingClock } from '../../support/stepping-clock.ts';

const DOMAIN = 'fuzz.example';
const PAGE = 100;
/** How often the key that is admitted everywhere is among the choices. */
const ADMITTED_KEYS = 14;
/** Enough on a busy machine. */
const DEADLINE_MS = 20_000;

const ITEMS = 460;
/** Fewer than any plan allows, so that the rate limit is not what answers. */
export const REQUESTS_PER_WINDOW = 250;

/** For a process of its own (`forkCall`), on the engine that its environment names. */
export const startSteppingGateway = () => startGateway({ port: 0, clock: steppingClock(REQUESTS_PER_WINDOW) });

/** Sample data, items and keys on an engine in a process of its own; sets this process's environment for it. */
export const prepareFuzzing = async () => {
  const { db, names, key, newKey, close } = await prepareEngine();
  const keys = {
    /** Admitted everywhere. */
    premium: key,
    standard: (await newKey({ plan: 'standard' })).key,
    free: (await newKey({ plan: 'free' })).key,
    /** Admitted in some places. */
    vehiclesOnly: (await newKey({ scopes: ['vehicles:read'] })).key,
    contentReader: (await newKey({ scopes: ['content:read'] })).key,
    /** Admitted nowhere. */
    revoked: (await newKey({ revokedAt: '2020-01-01T00:00:00.000Z' })).key,
    expired: (await newKey({ expires: '2020-01-01' })).key,
  };
  await fillDomain(db, names.content, DOMAIN, ITEMS);
  const ids: string[] = [];
  const content = contentTable(db, names.content);
  for (let offset = 0; offset < ITEMS; offset += PAGE) {
    const page = await content.list({ domain: DOMAIN }, { offset, limit: PAGE }, deadlineIn(DEADLINE_MS));
    ids.push(...page.items.map(({ id }) => id));
  }
  let oldest = 0;
  return {
    keys,
    /** Mostly those that are admitted everywhere. */
    keyChoices: [...Array.from({ length: ADMITTED_KEYS }, () => key), ...Object.values(keys)],
    /** Of items that exist or did. */
    contentIds: (): readonly string[] => ids,
    /** A new item takes the place of the one that is in the pool longest. */
    keepId: (id: string): void => {
      ids[oldest % ids.length] = id;
      oldest += 1;
    },
    close,
  };
};
