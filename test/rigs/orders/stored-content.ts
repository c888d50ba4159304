/** What is stored, as a search judges it: read here independently of the product's own check. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { bucketOf } from '../../../core/counted-list/item-keys.ts';
import type { DynamoItem } from '../../../core/dynamodb/database.ts';
import { memoised, type StoredState, TABLES } from './engine.ts';

export interface StoredContent {
  readonly items: readonly DynamoItem[];
  /**
   * All but the lists and slug claims: items without their positions, vehicles without their
   * revisions, remembered creations, keys, counted requests.
   */
  readonly facts: string;
  /** In which way the DynamoDB items disagree, each as the check calls it. */
  readonly inconsistencies: readonly string[];
}

interface Member {
  readonly list: string;
  readonly position: number;
  readonly id: unknown;
}

const textOf = (entry: DynamoItem): string =>
  JSON.stringify(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));

const membersOf = ({ id, domain, allPosition, domainPosition }: DynamoItem): Member[] => [
  { list: 'all', position: Number(allPosition), id },
  { list: `domain:${domain}`, position: Number(domainPosition), id },
];

const differences = (kind: string, stored: readonly string[], wanted: readonly string[]): string[] => [
  ...stored.filter((name) => !wanted.includes(name)).map((name) => `orphaned ${kind} ${name}`),
  ...wanted.filter((name) => !stored.includes(name)).map((name) => `missing ${kind} ${name}`),
];

const read = ({ records }: StoredState): StoredContent => {
  const items: DynamoItem[] = [];
  const members: Member[] = [];
  const claims: string[] = [];
  const facts: string[] = [];
  const counters = new Map<string, number>();
  const allocated = new Map<string, number>();
  for (const [key, record] of records) {
    const entry: DynamoItem = unmarshall(record as Record<string, AttributeValue>);
    const isContent = key.startsWith(`item-${TABLES.content}~`);
    const [kind, list = '', slug] = isContent ? String(entry.pk).split('#') : [];
    if (kind === 'members') members.push({ list, position: Number(entry.sk), id: entry.member });
    else if (kind === 'counters') counters.set(`${list} ${Number(entry.sk)}`, Number(entry.members));
    else if (kind === 'head') allocated.set(list, Number(entry.allocated));
    else if (kind === 'slug') claims.push(`${list} ${slug} ${entry.id}`);
    else {
      const { allPosition, domainPosition, revision, ...fact } = entry;
      facts.push(textOf(fact));
      if (kind === 'item') items.push(entry);
    }
  }

  const wanted = items.flatMap(membersOf);
  const nameOf = ({ list, position, id }: Member): string => `${list} ${position} ${id}`;
  const counted = Map.groupBy(members, ({ list, position }) => `${list} ${bucketOf(position)}`);
  const buckets = new Set([...counted.keys(), ...counters.keys()]);
  const isBehind = ({ list, position }: Member): boolean => position >= (allocated.get(list) ?? 0);
  const behind = new Set([...members, ...wanted].filter(isBehind).map(({ list }) => list));
  const inconsistencies = [
    ...differences('member', members.map(nameOf), wanted.map(nameOf)),
    ...differences(
      'slug claim',
      claims,
      items.map(({ domain, slug, id }) => `${domain} ${slug} ${id}`),
    ),
    ...[...buckets]
      .filter((bucket) => (counters.get(bucket) ?? 0) !== (counted.get(bucket)?.length ?? 0))
      .map((bucket) => `miscounted bucket ${bucket}`),
    ...[...behind].map((list) => `allocator behind ${list}`),
  ];
  return { items, facts: facts.sort().join(), inconsistencies: inconsistencies.sort() };
};

export const storedIn = memoised((state: StoredState) => state, read);

/** An inconsistency that the check has found, as it is called here. */
export const nameOfFound = (found: object): string =>
  ['kind', 'list', 'bucket', 'position', 'domain', 'slug', 'id']
    .flatMap((name) => (found as DynamoItem)[name] ?? [])
    .join(' ');
