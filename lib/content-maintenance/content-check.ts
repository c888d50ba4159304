/** Checks the consistency of stored content, for an operator. Safe while the service runs. */
import { type DynamoDBDocumentClient, GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import type { Entry } from '../../core/content/content-entries.ts';
import { type ContentStore, contentStore } from '../../core/content/content-store.ts';
import { retryUntil } from '../../core/dynamodb/retry.ts';
import { isTransient } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import {
  hasSlug,
  type Inconsistency,
  isAt,
  type SuspectedInconsistency,
  suspectedInconsistencies,
} from './content-inconsistencies.ts';
import { type ContentScan, placeOf, scanContent } from './content-scan.ts';
import { listRecount } from './list-recount.ts';

/** Milliseconds to confirm one suspected inconsistency, retries included. */
const PATIENCE_MS = 30_000;
/** Suspected inconsistencies or buckets that are read at once. */
const AT_ONCE = 16;

/** What a check found in the content of one environment. */
export interface ContentReport {
  readonly items: number;
  readonly lists: number;
  /** In the order of their repair. */
  readonly inconsistencies: readonly Inconsistency[];
  /** Buckets that changed during every recount, so that nothing is known of their counters. */
  readonly busy: readonly { readonly list: string; readonly bucket: number }[];
}

const bucketsOf = ({ buckets }: ContentScan) =>
  [...buckets].flatMap(([list, numbers]) => [...numbers].map((bucket) => ({ list, bucket })));

/** Confirms what looks inconsistent in a scan of one environment's content. */
const confirmScan = (store: ContentStore) => {
  const { db, table, keys } = store;
  const { recount } = listRecount(store);

  /**
   * Reads an entry and the item that it names as they are at one moment: two reads may see a transaction half applied.
   * @throws DeadlineExceeded
   */
  const readWithItem = async (key: Entry, id: string) => {
    const TransactItems = [key, keys.itemKey(id)].map((Key) => ({ Get: { TableName: table, Key } }));
    const read = () => db.send(new TransactGetCommand({ TransactItems }));
    const { Responses: [entry, item] = [] } = await retryUntil(deadlineIn(PATIENCE_MS), read, isTransient);
    return { entry: entry?.Item, place: item?.Item && placeOf(item.Item) };
  };

  const readAllocated = async (list: string): Promise<number> => {
    const Key = keys.allocatorKey(list);
    const { Item } = await db.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    return Number(Item?.allocated ?? 0);
  };

  /** Reads a suspected inconsistency again, in one transaction. */
  const isInconsistent = async (suspected: SuspectedInconsistency): Promise<boolean> => {
    switch (suspected.kind) {
      case 'orphaned member':
      case 'missing member': {
        const { list, position, id } = suspected;
        const { entry, place } = await readWithItem(keys.memberKey(list, position), id);
        const isThere = entry?.member === id;
        return isThere === (suspected.kind === 'orphaned member') && isThere !== isAt(place, suspected);
      }
      case 'orphaned slug claim':
      case 'missing slug claim': {
        const { entry, place } = await readWithItem(keys.slugKey(suspected.domain, suspected.slug), suspected.id);
        const isClaimed = entry?.id === suspected.id;
        return isClaimed === (suspected.kind === 'orphaned slug claim') && isClaimed !== hasSlug(place, suspected);
      }
      case 'allocator behind':
        // A position is allocated before its member joins, and the allocator never falls: this read decides.
        return (await readAllocated(suspected.list)) < suspected.allocated;
    }
  };

  return async (scan: ContentScan): Promise<ContentReport> => {
    const limit = pLimit(AT_ONCE);
    const confirmed = await limit.map(suspectedInconsistencies(scan), async (suspected) =>
      (await isInconsistent(suspected)) ? [suspected] : [],
    );
    const recounts = await limit.map(bucketsOf(scan), async (name) => ({
      name,
      found: await recount(name.list, name.bucket),
    }));
    const miscounted = recounts.flatMap(({ found }) =>
      typeof found === 'object' ? [{ kind: 'miscounted bucket' as const, ...found }] : [],
    );
    const lists = new Set([...scan.items.values()].flatMap(({ positions }) => [...positions.keys()]));
    return {
      items: scan.items.size,
      lists: lists.size,
      // Counters last, since other repairs change what they count.
      inconsistencies: [...confirmed.flat(), ...miscounted],
      busy: recounts.filter(({ found }) => found === 'busy').map(({ name }) => name),
    };
  };
};

/** Checks of one content table: the content of live keys and, under `sandbox`, that of test keys. */
export const contentCheck = (db: DynamoDBDocumentClient, table: string) => ({
  /** Scans the table, then confirms what looks inconsistent. `onProgress` gets the number of entries scanned. */
  check: async (
    onProgress: (entries: number) => void = () => undefined,
  ): Promise<ContentReport & { readonly sandbox: ContentReport }> => {
    const { live, test } = await scanContent(db, table, onProgress);
    return {
      ...(await confirmScan(contentStore(db, table, 'live'))(live)),
      sandbox: await confirmScan(contentStore(db, table, 'test'))(test),
    };
  },
});
