/** Checks the consistency of stored content. Safe while the service runs. */
import { Readable } from 'node:stream';
import { type DynamoDBDocumentClient, GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../../core/access/api-key.ts';
import { type ContentStore, contentStore } from '../../core/content/content-store.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { retryUntil } from '../../core/dynamodb/retry.ts';
import { isTransient } from '../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import {
  type BucketOfList,
  type ContentScan,
  type Inconsistency,
  parsePlace,
  type SuspectedInconsistency,
  withContentScan,
} from './content-scan.ts';
import { recount } from './list-recount.ts';

/** Milliseconds to confirm one suspected inconsistency, retries included. */
const TIMEOUT_MS = 30_000;
/** Suspected inconsistencies or buckets that are read at once. */
const READS_IN_FLIGHT = 16;

/** What a check found in the content of one kind of key. */
export interface ContentReport {
  readonly items: number;
  readonly lists: number;
  /** In the order of their repair. */
  readonly inconsistencies: readonly Inconsistency[];
  /** Buckets that changed during every recount: their counters may be right or wrong. */
  readonly busy: readonly BucketOfList[];
}

/** Confirms suspected inconsistencies in the content of one kind of key. */
const confirmScan = (store: ContentStore) => {
  const { db, table, keys } = store;

  /** Reads a DynamoDB item and its content item, in one transaction: two reads could see half of another one. */
  const readWithItem = async (key: DynamoItem, id: string) => {
    const TransactItems = [key, keys.itemKey(id)].map((Key) => ({ Get: { TableName: table, Key } }));
    const read = () => db.send(new TransactGetCommand({ TransactItems }));
    const { Responses: [naming, named] = [] } = await retryUntil(deadlineIn(TIMEOUT_MS), read, isTransient);
    return { naming: naming?.Item, place: named?.Item && parsePlace(named.Item) };
  };

  /** Reads a suspected inconsistency again. */
  const isInconsistent = async (suspected: SuspectedInconsistency): Promise<boolean> => {
    switch (suspected.kind) {
      case 'orphaned member':
      case 'missing member': {
        const { list, position, id } = suspected;
        const { naming, place } = await readWithItem(keys.memberKey(list, position), id);
        const isMember = naming?.member === id;
        const isWanted = place?.positions.get(list) === position;
        return isMember === (suspected.kind === 'orphaned member') && isMember !== isWanted;
      }
      case 'orphaned slug claim':
      case 'missing slug claim': {
        const { domain, slug, id } = suspected;
        const { naming, place } = await readWithItem(keys.slugKey(domain, slug), id);
        const isClaimed = naming?.id === id;
        const isWanted = place?.domain === domain && place.slug === slug;
        return isClaimed === (suspected.kind === 'orphaned slug claim') && isClaimed !== isWanted;
      }
      case 'allocator behind': {
        // One read decides: a position is allocated before its member joins, and the allocator never decreases.
        const Key = keys.allocatorKey(suspected.list);
        const { Item } = await db.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
        return Number(Item?.allocated ?? 0) < suspected.allocated;
      }
    }
  };

  return async (scan: ContentScan, signal: AbortSignal | undefined): Promise<ContentReport> => {
    const options = { concurrency: READS_IN_FLIGHT, ...(signal && { signal }) };
    const inconsistencies: Inconsistency[] = await Readable.from(scan.suspected())
      .filter(isInconsistent, options)
      .toArray();
    const busy: BucketOfList[] = [];
    // Counters last, since other repairs change what they count.
    const count = async (bucket: BucketOfList) => ({ bucket, found: await recount(store, bucket.list, bucket.bucket) });
    const recounts = Readable.from(scan.buckets()).map(count, options);
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
 * Scans a content table, then confirms what looks inconsistent: in the content of live keys, of test keys (`sandbox`)
 * and of the probe's keys (`probe`). @throws the reason of the signal
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
  return withContentScan(db, table, onScanned, async (scans) => {
    const confirm = (kind: KeyKind) => confirmScan(contentStore(db, table, kind))(scans[kind], signal);
    return { ...(await confirm('live')), sandbox: await confirm('test'), probe: await confirm('probe') };
  });
};
