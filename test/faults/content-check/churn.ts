/** Traffic of creates, moves and deletes, on items of its own in lists that it shares with others. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { contentTable } from '../../../functions/content/content-table.ts';
import type { ContentItem } from '../../../functions/content/item.ts';
import { moment, someFields } from '../../support/content.ts';
import { seededNumbers } from '../../support/fault-choosers.ts';

/** Clients at once. */
const CLIENTS = 3;
/** Items that a client keeps at most. */
const MAX_ITEMS = 8;

export interface Churn {
  /** Ends it and resolves to the items that it leaves. @throws what a client met: nothing that a check does may fail one */
  readonly end: () => Promise<readonly ContentItem[]>;
  readonly changes: () => number;
}

/** Begins it. */
export const startChurn = (
  db: DynamoDBDocumentClient,
  table: string,
  domains: readonly string[],
  seed: number,
): Churn => {
  const content = contentTable(db, table);
  let isEnding = false;
  let changes = 0;

  const work = async (client: number): Promise<ContentItem[]> => {
    const next = seededNumbers(seed + client);
    const someDomain = () => domains[Math.floor(next() * domains.length)] ?? '';
    const items: ContentItem[] = [];
    while (!isEnding) {
      const [chance, nth] = [next(), Math.floor(next() * items.length)];
      const item = items[nth];
      if (item === undefined || (chance < 0.5 && items.length < MAX_ITEMS)) {
        items.push(await content.create(someFields(someDomain(), `churn-${randomUUID()}`), undefined, moment()));
      } else if (chance < 0.75) {
        items[nth] = await content.update(item.id, { domain: someDomain() }, undefined, moment());
      } else {
        await content.remove(item.id, undefined, moment());
        items.splice(nth, 1);
      }
      changes += 1;
    }
    return items;
  };

  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
  // Reported by `end`.
  clients.catch(() => undefined);
  return {
    end: async () => {
      isEnding = true;
      return (await clients).flat();
    },
    changes: () => changes,
  };
};
