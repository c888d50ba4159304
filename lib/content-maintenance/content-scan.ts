import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { KeyEnvironment } from '../../core/access/api-key.ts';
import {
  ALL_ITEMS,
  domainList,
  type Entry,
  parseItem,
  parseSlug,
  type SlugClaim,
  separatePrefix,
} from '../../core/content/content-entries.ts';
import { bucketOf, parseListEntry } from '../../core/counted-list/entries.ts';

/** The slug and the positions that an item's entry has. */
export interface ItemPlace {
  readonly domain: string;
  readonly slug: string;
  /** Its position in each of its lists, by the list's name. */
  readonly positions: ReadonlyMap<string, number>;
}

/** An item in a list, at a position. */
export interface Membership {
  readonly list: string;
  readonly position: number;
  readonly id: string;
}

/** The entries of one environment's content by kind. They were read at different moments. */
export interface ContentScan {
  readonly items: Map<string, ItemPlace>;
  readonly slugs: SlugClaim[];
  readonly members: Membership[];
  /** The buckets that have a counter or members, by list. */
  readonly buckets: Map<string, Set<number>>;
  /** Allocated positions, by list. */
  readonly allocated: Map<string, number>;
}

const addBucket = ({ buckets }: ContentScan, list: string, bucket: number): void => {
  buckets.set(list, (buckets.get(list) ?? new Set()).add(bucket));
};

const addListEntry = (scan: ContentScan, entry: NonNullable<ReturnType<typeof parseListEntry>>) => {
  if (entry.kind === 'allocator') scan.allocated.set(entry.list, entry.allocated);
  else if (entry.kind === 'counter') addBucket(scan, entry.list, entry.bucket);
  else {
    const { list, position, id } = entry;
    scan.members.push({ list, position, id });
    addBucket(scan, list, bucketOf(position));
  }
};

/** The slug and positions in an item's entry. */
export const placeOf = (entry: Entry): ItemPlace => {
  const { item, positions } = parseItem(entry);
  const { domain, slug } = item;
  const byList = new Map([
    [ALL_ITEMS, positions.all],
    [domainList(domain), positions.domain],
  ]);
  return { domain, slug, positions: byList };
};

const addEntry = (scan: ContentScan, entry: Entry) => {
  const listEntry = parseListEntry(entry);
  const slug = parseSlug(entry);
  if (listEntry) addListEntry(scan, listEntry);
  else if (slug) scan.slugs.push(slug);
  else if (entry.sk === 'item') scan.items.set(String(entry.id), placeOf(entry));
};

const emptyScan = (): ContentScan => ({
  items: new Map(),
  slugs: [],
  members: [],
  buckets: new Map(),
  allocated: new Map(),
});

/** Reads the whole table, each environment's content apart. `onProgress` gets the number of entries read so far. */
export const scanContent = async (
  db: DynamoDBDocumentClient,
  table: string,
  onProgress: (entries: number) => void,
): Promise<Readonly<Record<KeyEnvironment, ContentScan>>> => {
  const scans = { live: emptyScan(), test: emptyScan() };
  let entries = 0;
  for await (const { Items = [] } of paginateScan({ client: db }, { TableName: table, ConsistentRead: true })) {
    for (const stored of Items) {
      const { environment, entry } = separatePrefix(stored);
      addEntry(scans[environment], entry);
    }
    entries += Items.length;
    onProgress(entries);
  }
  return scans;
};
