import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { ALL_ITEMS, contentStore, domainList } from '../core/content/content-entries.ts';
import { contentWrites } from '../core/content/content-writes.ts';
import type { ContentFields } from '../core/content/item.ts';
import type { TransactWrite } from '../core/dynamodb/transact.ts';

/** DynamoDB's limit for one BatchWriteItem. */
const MAX_BATCH = 25;
const BATCHES_IN_FLIGHT = 8;
/** Items whose writes are prepared together. */
const ITEMS_AT_ONCE = 1_000;
const CREATED = '2026-01-02T03:04:05.000Z';

/** An item of about 1 kB. */
export const benchFields = (domain: string, slug: string): ContentFields => ({
  title: `Title of ${slug}`,
  content: 'x'.repeat(850),
  domain,
  slug,
  meta_description: 'About this item',
});

const putItems = (writes: readonly TransactWrite[]) => writes.flatMap(({ Put }) => (Put?.Item ? [Put.Item] : []));

/**
 * Stores so many items of one domain by the very writes of which creations are made, but each by itself instead of in
 * transactions, which takes minutes less. Nobody else may write meanwhile.
 * @returns the ids of the items
 */
export const loadDomain = async (
  db: DynamoDBDocumentClient,
  table: string,
  domain: string,
  count: number,
): Promise<readonly string[]> => {
  const store = contentStore(db, table, 'live');
  const { lists } = store;
  const writes = contentWrites(store);
  const limit = pLimit(BATCHES_IN_FLIGHT);
  const [all, own] = await Promise.all([lists.allocate(ALL_ITEMS, count), lists.allocate(domainList(domain), count)]);
  const ids: string[] = [];
  for (let start = 0; start < count; start += ITEMS_AT_ONCE) {
    const items = Array.from({ length: Math.min(ITEMS_AT_ONCE, count - start) }, (_, n) => ({
      id: randomUUID(),
      ...benchFields(domain, `item-${start + n}`),
      created_at: CREATED,
      updated_at: CREATED,
      version: 1,
    }));
    const membersFrom = (first: number) => items.map(({ id }, n) => ({ id, position: first + start + n }));
    const joining = [
      ...lists.append(ALL_ITEMS, membersFrom(all)),
      ...lists.append(domainList(domain), membersFrom(own)),
    ];
    const puts = putItems([
      ...items.map((item, n) => writes.addItem({ item, positions: { all: all + start + n, domain: own + start + n } })),
      ...items.map(writes.claimSlug),
      ...joining,
    ]);
    const batches = Array.from({ length: Math.ceil(puts.length / MAX_BATCH) }, (_, n) =>
      puts.slice(n * MAX_BATCH, (n + 1) * MAX_BATCH).map((Item) => ({ PutRequest: { Item } })),
    );
    await limit.map(batches, (batch) => db.send(new BatchWriteCommand({ RequestItems: { [table]: batch } })));
    for (const { Update } of joining) {
      if (Update) await db.send(new UpdateCommand(Update));
    }
    ids.push(...items.map(({ id }) => id));
  }
  return ids;
};
