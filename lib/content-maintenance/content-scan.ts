/** A scan of the content table, staged in SQLite files in the temporary folder: its memory does not grow with the content. */
import { tmpdir } from 'node:os';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../../core/access/api-key.ts';
import { ALL_ITEMS, CONTENT_PREFIX, domainList, parseItem } from '../../core/content/content-store.ts';
import { bucketOf } from '../../core/counted-list/item-keys.ts';
import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { openStagingDatabase, queryRows } from '../staging-database.ts';
import type { SuspectedInconsistency } from './content-inconsistencies.ts';

/** A bucket of a list. */
export interface Bucket {
  readonly list: string;
  readonly bucket: number;
}

/** The slug of a content item, and its position in each of its lists, by the list's name. */
export const parsePlace = (stored: DynamoItem) => {
  const { item, positions } = parseItem(stored);
  const { domain, slug } = item;
  const byList = new Map([
    [ALL_ITEMS, positions.all],
    [domainList(domain), positions.domain],
  ]);
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
  const add = (table: string) => db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`);
  const addMember = add('members');
  const addWantedMember = add('wanted_members');
  const addSlug = add('slugs');
  const addWantedSlug = add('wanted_slugs');
  const addBucket = db.prepare('INSERT OR IGNORE INTO buckets VALUES (?, ?)');
  const addAllocator = db.prepare('INSERT INTO allocators VALUES (?, ?)');

  const addItem = (stored: DynamoItem): void => {
    const id = String(stored.id);
    const { domain, slug, positions } = parsePlace(stored);
    addWantedSlug.run(domain, slug, id);
    for (const [list, position] of positions) addWantedMember.run(list, position, id);
  };

  const count = (what: string, table: string): number =>
    Number(db.prepare(`SELECT count(${what}) AS count FROM ${table}`).get()?.count);

  return {
    /** Adds a DynamoDB item, whose partition key is without the prefix of the kind. */
    add: (stored: DynamoItem): void => {
      const { pk, sk, id, allocated, member } = stored;
      const [kind, name = '', slug = ''] = String(pk).split('#');
      if (kind === 'head') addAllocator.run(name, Number(allocated));
      else if (kind === 'counters') addBucket.run(name, Number(sk));
      else if (kind === 'members') {
        addMember.run(name, Number(sk), String(member));
        addBucket.run(name, bucketOf(Number(sk)));
      } else if (sk === 'slug' && typeof id === 'string') addSlug.run(name, slug, id);
      else if (sk === 'item') addItem(stored);
    },
    items: () => count('*', 'wanted_slugs'),
    /** Lists that items are in. */
    lists: () => count('DISTINCT list', 'wanted_members'),
    /** The buckets that have a counter or members. */
    buckets: () => queryRows<Bucket>(db.prepare('SELECT list, bucket FROM buckets')),
    /**
     * What looks inconsistent, in the order of its repair. A scan reads items at different times: while content
     * changes, most of this is consistent.
     */
    *suspected(): Generator<SuspectedInconsistency> {
      for (const [kind, query] of SUSPECTED) {
        yield* queryRows<SuspectedInconsistency>(db.prepare(`SELECT ? AS kind, * FROM (${query})`), kind);
      }
    },
    close: () => db.close(),
  };
};

export type ContentScan = ReturnType<typeof stagedScan>;

/**
 * Reads the whole table, the content of each kind of key apart, and calls `use` with it. `onProgress` gets the number
 * of DynamoDB items read so far.
 */
export const withContentScan = async <T>(
  db: DynamoDBDocumentClient,
  table: string,
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
