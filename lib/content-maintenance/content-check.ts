/** Checks the consistency of stored content, for an operator. Safe while the service runs. */
import { Readable } from 'node:stream';
import { type DynamoDBDocumentClient, GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { type ContentStore, contentStore } from '../../core/content/content-store.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { retryUntil } from '../../core/dynamodb/retry.ts';
import { isTransient } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import type { Inconsistency, SuspectedInconsistency } from './content-inconsistencies.ts';
import { type Bucket, type ContentScan, parsePlace, withContentScan } from './content-scan.ts';
import { recount } from './list-recount.ts';

/** Milliseconds to confirm one suspected inconsistency, retries included. */
const TIMEOUT_MS = 30_000;
/** Suspected inconsistencies or buckets that are read at once. */
const AT_ONCE = 16;

/** What a check found in the content of one kind of key. */
export interface ContentReport {
  readonly items: number;
  readonly lists: number;
  /** In the order of their repair. */
  readonly inconsistencies: readonly Inconsistency[];
  /** Buckets that changed during every recount, so that nothing is known of their counters. */
  readonly busy: readonly Bucket[];
}

/** Confirms what looks inconsistent in a scan of the content of one kind of key. */
const confirmScan = (store: ContentStore) => {
  const { db, table, keys } = store;

  /**
   * Reads a DynamoDB item and the content item that it names, in one transaction. Two reads could see half of one.
   * @throws DeadlineExceeded
   */
  const readWithItem = async (key: DynamoItem, id: string) => {
    const TransactItems = [key, keys.itemKey(id)].map((Key) => ({ Get: { TableName: table, Key } }));
    const read = () => db.send(new TransactGetCommand({ TransactItems }));
    const { Responses: [naming, named] = [] } = await retryUntil(deadlineIn(TIMEOUT_MS), read, isTransient);
    return { naming: naming?.Item, place: named?.Item && parsePlace(named.Item) };
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
        const { naming, place } = await readWithItem(keys.memberKey(list, position), id);
        const isThere = naming?.member === id;
        return (
          isThere === (suspected.kind === 'orphaned member') && isThere !== (place?.positions.get(list) === position)
        );
      }
      case 'orphaned slug claim':
      case 'missing slug claim': {
        const { domain, slug, id } = suspected;
        const { naming, place } = await readWithItem(keys.slugKey(domain, slug), id);
        const isClaimed = naming?.id === id;
        const isWanted = place?.domain === domain && place.slug === slug;
        return isClaimed === (suspected.kind === 'orphaned slug claim') && isClaimed !== isWanted;
      }
      case 'allocator behind':
        // A position is allocated before its member joins, and the allocator never falls: this read decides.
        return (await readAllocated(suspected.list)) < suspected.allocated;
    }
  };

  return async (scan: ContentScan, signal: AbortSignal | undefined): Promise<ContentReport> => {
    const options = { concurrency: AT_ONCE, ...(signal && { signal }) };
    const inconsistencies: Inconsistency[] = await Readable.from(scan.suspected())
      .filter(isInconsistent, options)
      .toArray();
    const busy: Bucket[] = [];
    // Counters last, since other repairs change what they count.
    const recounts = Readable.from(scan.buckets()).map(async (bucket: Bucket) => {
      return { bucket, found: await recount(store, bucket.list, bucket.bucket) };
    }, options);
    for await (const { bucket, found } of recounts) {
      if (found === 'busy') busy.push(bucket);
      else if (found !== 'right') inconsistencies.push({ kind: 'miscounted bucket', ...found });
    }
    return { items: scan.items(), lists: scan.lists(), inconsistencies, busy };
  };
};

interface CheckOptions {
  /** Gets the number of DynamoDB items scanned. */
  readonly onProgress?: (scanned: number) => void;
  /** Ends the check. */
  readonly signal?: AbortSignal;
}

/**
 * Scans a content table, then confirms what looks inconsistent: the content of live keys and, under `sandbox` and `probe`,
 * that of test keys and of the probe's. @throws the reason of the signal
 */
export const checkContent = (
  db: DynamoDBDocumentClient,
  table: string,
  { onProgress, signal }: CheckOptions = {},
): Promise<ContentReport & { readonly sandbox: ContentReport; readonly probe: ContentReport }> => {
  const onScanned = (scanned: number): void => {
    signal?.throwIfAborted();
    onProgress?.(scanned);
  };
  return withContentScan(db, table, onScanned, async ({ live, test, probe }) => ({
    ...(await confirmScan(contentStore(db, table, 'live'))(live, signal)),
    sandbox: await confirmScan(contentStore(db, table, 'test'))(test, signal),
    probe: await confirmScan(contentStore(db, table, 'probe'))(probe, signal),
  }));
};
