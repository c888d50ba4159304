/** A scan of the content table, staged in temporary SQLite files: memory does not grow with the content. */
import { tmpdir } from 'node:os';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../../core/access/api-key.ts';
import { ALL_ITEMS, CONTENT_PREFIX, domainList, parseItem, type SlugClaim } from '../../core/content/content-store.ts';
import { bucketOf } from '../../core/counted-list/item-keys.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { openStagingDatabase, queryRows } from '../staging-database.ts';
import type { Miscount } from './list-recount.ts';

/** An item in a list, at a position. */
export interface Membership {
  readonly list: string;
  readonly position: number;
  readonly id: string;
}

/**
 * What a scan can suggest. `missing`: an item lacks its member or slug claim. `orphaned`: a member or slug claim
 * belongs to no item. `allocator behind`: the next new member would get a used position.
 */
export type SuspectedInconsistency =
  | ({ readonly kind: 'missing member' | 'orphaned member' } & Membership)
  | ({ readonly kind: 'missing slug claim' | 'orphaned slug claim' } & SlugClaim)
  | { readonly kind: 'allocator behind'; readonly list: string; readonly allocated: number };

/** A scan suggests no miscounts: each bucket is recounted. */
export type Inconsistency = SuspectedInconsistency | ({ readonly kind: 'miscounted bucket' } & Miscount);

/** A bucket of a list. */
export type BucketOfList = Pick<Miscount, 'list' | 'bucket'>;

/** The slug of a content item, and its position in each of its lists, by the list's name. */
export const parsePlace = (stored: DynamoItem) => {
  const { item, positions } = parseItem(stored);
  const { domain, slug } = item;
  const byList = new Map([[ALL_ITEMS, positions.all]]).set(domainList(domain), positions.domain);
  return { domain, slug, positions: byList };
};

/** The DynamoDB items by kind, and the ones that content items should have (`wanted`). */
const TABLES = `
  CREATE TABLE members (list TEXT, position INTEGER, id TEXT);
  CREATE TABLE wanted_members (list TEXT, position INTEGER, id TEXT);
  CREATE TABLE slugs (domain TEXT, slug TEXT, id TEXT);
  CREATE TABLE wanted_slugs (domain TEXT, slug TEXT, id TEXT);
  CREATE TABLE buckets (list TEXT, bucket INTEGER, PRIMARY KEY (list, bucket)) WITHOUT ROWID;
  CREATE TABLE allocators (list TEXT PRIMARY KEY, allocated INTEGER) WITHOUT ROWID;`;

/** In the order of their repair: what is orphaned before what is missing. */
const SUSPECTED = [
  ['orphaned slug claim', 'SELECT * FROM slugs EXCEPT SELECT * FROM wanted_slugs'],
  ['missing slug claim', 'SELECT * FROM wanted_slugs EXCEPT SELECT * FROM slugs'],
  ['orphaned member', 'SELECT * FROM members EXCEPT SELECT * FROM wanted_members'],
  ['missing member', 'SELECT * FROM wanted_members EXCEPT SELECT * FROM members'],
  [
    'allocator behind',
    `SELECT list, max(position) + 1 AS allocated
     FROM (SELECT list, position FROM members UNION ALL SELECT list, position FROM wanted_members)
     LEFT JOIN allocators USING (list) GROUP BY list HAVING coalesce(max(allocators.allocated), 0) < max(position) + 1`,
  ],
] as const;

/** The DynamoDB items of the content of one kind of key, read at different times. */
const stagedScan = () => {
  const db = openStagingDatabase(tmpdir());
  db.exec(TABLES);
  const prepareInsert = (table: string) => db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`);
  const addMember = prepareInsert('members');
  const addWantedMember = prepareInsert('wanted_members');
  const addSlug = prepareInsert('slugs');
  const addWantedSlug = prepareInsert('wanted_slugs');
  const addBucket = db.prepare('INSERT OR IGNORE INTO buckets VALUES (?, ?)');
  const addAllocator = db.prepare('INSERT INTO allocators VALUES (?, ?)');

  const count = (what: string, table: string): number =>
    Number(db.prepare(`SELECT count(${what}) AS count FROM ${table}`).get()?.count);

  return {
    /** Adds a DynamoDB item, its partition key without the prefix of the kind. */
    add: (stored: DynamoItem): void => {
      const { pk, sk, id, allocated, member } = stored;
      const [kind, name = '', slug = ''] = String(pk).split('#');
      if (kind === 'head') addAllocator.run(name, Number(allocated));
      else if (kind === 'counters') addBucket.run(name, Number(sk));
      else if (kind === 'members') {
        addMember.run(name, Number(sk), String(member));
        addBucket.run(name, bucketOf(Number(sk)));
      } else if (sk === 'slug' && typeof id === 'string') addSlug.run(name, slug, id);
      else if (sk === 'item') {
        const { domain, slug: wanted, positions } = parsePlace(stored);
        addWantedSlug.run(domain, wanted, String(id));
        for (const [list, position] of positions) addWantedMember.run(list, position, String(id));
      }
    },
    items: () => count('*', 'wanted_slugs'),
    /** Lists that items are in. */
    lists: () => count('DISTINCT list', 'wanted_members'),
    /** The buckets that have a counter or members. */
    buckets: () => queryRows<BucketOfList>(db.prepare('SELECT list, bucket FROM buckets')),
    /** In the order of repair. While content changes, most are false: a scan reads items at different times. */
    *suspected(): Generator<SuspectedInconsistency> {
      for (const [kind, query] of SUSPECTED) {
        yield* queryRows<SuspectedInconsistency>(db.prepare(`SELECT ? AS kind, * FROM (${query})`), kind);
      }
    },
    close: () => db.close(),
  };
};

export type ContentScan = ReturnType<typeof stagedScan>;

/** Scans the whole table, calls `use` with the content of each kind of key, then deletes the files. */
export const withContentScan = async <T>(
  db: DynamoDBDocumentClient,
  table: string,
  /** Gets the number of DynamoDB items read so far. */
  onProgress: (scanned: number) => void,
  use: (scans: Readonly<Record<KeyKind, ContentScan>>) => Promise<T>,
): Promise<T> => {
  const scans = { live: stagedScan(), test: stagedScan(), probe: stagedScan() };
  try {
    let scanned = 0;
    for await (const { Items = [] } of paginateScan({ client: db }, { TableName: table, ConsistentRead: true })) {
      for (const item of Items) {
        const pk = String(item.pk);
        const kind = (['test', 'probe'] as const).find((one) => pk.startsWith(CONTENT_PREFIX[one])) ?? 'live';
        scans[kind].add({ ...item, pk: pk.slice(CONTENT_PREFIX[kind].length) });
      }
      scanned += Items.length;
      onProgress(scanned);
    }
    return await use(scans);
  } finally {
    for (const scan of Object.values(scans)) scan.close();
  }
};
