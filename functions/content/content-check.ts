/** Content held against itself, and mended: for an operator, safe beside traffic. */
import { DeleteItemCommand, type DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { countedLists } from '../counted-list/counted-list.ts';
import { bucketOf, memberKey } from '../counted-list/entries.ts';
import { listRecount } from '../counted-list/list-recount.ts';
import { onlyIfUnchanged } from '../runtime/conditional-write.ts';
import { type ContentFault, type Membership, type SlugHolding, suspicions } from './content-faults.ts';
import { ALL_ITEMS, domainList, type Entry, slugKey } from './content-items.ts';
import { contentReads } from './content-reads.ts';
import { surveyContent } from './content-survey.ts';
import { contentWrites } from './content-writes.ts';

/** What a check went through, and what it found wrong. */
export interface ContentReport {
  readonly items: number;
  readonly lists: number;
  readonly faults: readonly ContentFault[];
}

export const contentCheck = (db: DynamoDBClient, table: string) => {
  const reads = contentReads(db, table, countedLists(db, table));
  const recounts = listRecount(db, table);
  const writes = contentWrites(table);

  const readEntry = async (Key: Entry): Promise<Entry | undefined> =>
    (await db.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }))).Item;

  /** Whether the item, as it is now, says that it is at this place. */
  const belongs = async ({ list, position, id }: Membership): Promise<boolean> => {
    const stored = await reads.find(id);
    if (stored === undefined) return false;
    const { all, domain } = stored.positions;
    return (list === ALL_ITEMS && position === all) || (list === domainList(stored.item.domain) && position === domain);
  };

  const holds = async ({ domain, slug, id }: SlugHolding): Promise<boolean> => {
    const item = (await reads.find(id))?.item;
    return item?.domain === domain && item.slug === slug;
  };

  /** Suspicions are looked at again one by one: the fault as it is now, or undefined when there is none. */
  const confirm = async (fault: ContentFault): Promise<ContentFault | undefined> => {
    switch (fault.kind) {
      case 'stray member':
      case 'missing member': {
        const isThere = (await readEntry(memberKey(fault.list, fault.position)))?.member?.S === fault.id;
        return isThere === (fault.kind === 'stray member') && isThere !== (await belongs(fault)) ? fault : undefined;
      }
      case 'stray slug':
      case 'unheld slug': {
        const isThere = (await readEntry(slugKey(fault.domain, fault.slug)))?.id?.S === fault.id;
        return isThere === (fault.kind === 'stray slug') && isThere !== (await holds(fault)) ? fault : undefined;
      }
      case 'miscounted bucket': {
        const miscount = await recounts.recount(fault.list, fault.bucket);
        return miscount && { kind: fault.kind, ...miscount };
      }
      case 'head behind':
        return fault;
    }
  };

  const mendCounter = async (list: string, bucket: number): Promise<boolean> => {
    const miscount = await recounts.recount(list, bucket);
    return miscount === undefined || recounts.mendCounter(miscount);
  };

  /** A write that counts as not made may have been made (`onlyIfUnchanged`), so the bucket is recounted in any case. */
  const mendBucket = async ({ list, position }: Membership, isMade: boolean): Promise<boolean> => {
    const isCounted = await mendCounter(list, bucketOf(position));
    return isMade && isCounted;
  };

  const mend = async (fault: ContentFault): Promise<boolean> => {
    switch (fault.kind) {
      case 'stray member':
        return mendBucket(fault, await recounts.dropMember(fault.list, fault.position, fault.id));
      case 'missing member':
        return mendBucket(fault, await recounts.restoreMember(fault.list, fault.position, fault.id));
      case 'stray slug':
        return onlyIfUnchanged(db.send(new DeleteItemCommand(writes.releaseSlug(fault).Delete)));
      case 'unheld slug':
        return onlyIfUnchanged(db.send(new PutItemCommand(writes.claimSlug(fault).Put)));
      case 'miscounted bucket':
        return mendCounter(fault.list, fault.bucket);
      case 'head behind':
        return recounts.raiseHead(fault.list, fault.allocated);
    }
  };

  return {
    /** Reads the whole table, then again what looks wrong. `onProgress` gets the number of entries read. */
    check: async (onProgress: (entries: number) => void = () => undefined): Promise<ContentReport> => {
      const survey = await surveyContent(db, table, onProgress);
      const faults: ContentFault[] = [];
      for (const suspicion of suspicions(survey)) {
        const fault = await confirm(suspicion);
        if (fault) faults.push(fault);
      }
      const lists = new Set([...survey.items.values()].flatMap(({ positions }) => [...positions.keys()]));
      return { items: survey.items.size, lists: lists.size, faults };
    },

    /**
     * Mends one fault, unless what it is about has changed since: false then, as when it was mended but the answer got
     * lost. A slug of two items stays as it is.
     */
    mend,
  };
};
