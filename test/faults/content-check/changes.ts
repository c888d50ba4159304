import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { contentTable } from '../../../core/content/content-table.ts';
import type { ContentItem } from '../../../core/content/item.ts';
import { moment, someFields } from '../../support/content.ts';
import { clientOf, type TestEngine } from '../../support/engine.ts';
import { seededNumbers } from '../../support/fault-choosers.ts';

const CLIENTS = 3;
/** Items that a client keeps at most. */
const MAX_ITEMS = 8;

/** A client whose requests and responses are each delayed by a random time. */
export const delayedClient = ({ endpoint }: TestEngine, maxMs: number, seed: number): DynamoDBDocumentClient => {
  const db = clientOf(endpoint);
  const next = seededNumbers(seed);
  db.middlewareStack.add(
    (send) => async (args) => {
      await sleep(next() * maxMs);
      const answer = await send(args);
      await sleep(next() * maxMs);
      return answer;
    },
    { step: 'initialize' },
  );
  return db;
};

/** Starts clients that create, move and delete items of their own in lists that they share with others. */
export const startChanges = (db: DynamoDBDocumentClient, table: string, domains: readonly string[], seed: number) => {
  const content = contentTable(db, table, 'live');
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
        items.push(await content.create(someFields(someDomain(), `changing-${randomUUID()}`), undefined, moment()));
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
  // Thrown by `end`.
  clients.catch(() => undefined);
  return {
    /** Resolves to the items that are left and the number of changes. @throws when a change has failed: no check may fail one */
    end: async () => {
      isEnding = true;
      return { items: (await clients).flat(), changes };
    },
  };
};
