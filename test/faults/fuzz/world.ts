/** What fuzzing needs to get anywhere: a database with sample data, keys that are admitted, and items. */

import { contentTable } from '../../../functions/content/content-table.ts';
import { deadlineIn } from '../../../functions/runtime/deadline.ts';
import { fillDomain } from '../../support/content.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';

const DOMAIN = 'fuzz.example';
const PAGE = 100;
/** How often the key that is admitted everywhere stands among the choices. */
const ADMITTED_KEYS = 14;
/** Enough to prepare on a machine that does other things too. */
const PATIENCE_MS = 20_000;

/** An engine in a process of its own; this process's environment is set for it. */
export const prepareWorld = async (items: number) => {
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
  await fillDomain(db, names.content, DOMAIN, items);
  const ids: string[] = [];
  const content = contentTable(db, names.content);
  for (let offset = 0; offset < items; offset += PAGE) {
    const page = await content.list({ domain: DOMAIN }, { offset, limit: PAGE }, deadlineIn(PATIENCE_MS));
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
