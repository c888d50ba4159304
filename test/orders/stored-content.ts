/** What is stored, as a search judges it: read here independently of the product's own check. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { bucketOf } from '../../core/counted-list/entries.ts';
import { type StoredState, TABLES } from './engine.ts';

type Entry = Readonly<Record<string, unknown>>;

interface Member {
  readonly list: string;
  readonly position: number;
  readonly id: string;
}

/** The entries of a state by their kind. */
export interface Stored {
  readonly items: readonly Entry[];
  readonly members: readonly Member[];
  readonly claims: readonly Entry[];
  readonly counters: ReadonlyMap<string, number>;
  readonly allocated: ReadonlyMap<string, number>;
  /** All but the lists: items without their positions, remembered creations, keys, counted requests. */
  readonly facts: string;
  /** In which way the entries disagree, each as the check calls it. */
  readonly inconsistencies: readonly string[];
}

const byText = (values: readonly unknown[]): string =>
  JSON.stringify(values.map((value) => JSON.stringify(value)).sort());

const sorted = (entry: Entry): Entry => Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));

const membershipsOf = ({ id, domain, allPosition, domainPosition }: Entry): Member[] => [
  { list: 'all', position: Number(allPosition), id: String(id) },
  { list: `domain:${domain}`, position: Number(domainPosition), id: String(id) },
];

const nameOfMember = ({ list, position, id }: Member): string => `${list} ${position} ${id}`;

const claimOf = ({ domain, slug, id }: Entry): string => `${domain} ${slug} ${id}`;

const difference = (kind: string, these: readonly string[], others: readonly string[]): string[] => {
  const present = new Set(others);
  return these.filter((name) => !present.has(name)).map((name) => `${kind} ${name}`);
};

const inconsistenciesOf = ({
  items,
  members,
  claims,
  counters,
  allocated,
}: Omit<Stored, 'facts' | 'inconsistencies'>) => {
  const wanted = items.flatMap(membershipsOf);
  const [memberNames, wantedNames] = [members.map(nameOfMember), wanted.map(nameOfMember)];
  const [claimNames, wantedClaims] = [claims.map(claimOf), items.map(claimOf)];
  const counted = Map.groupBy(members, ({ list, position }) => `${list} ${bucketOf(position)}`);
  const buckets = new Set([...counted.keys(), ...counters.keys()]);
  const ends = Map.groupBy([...members, ...wanted], ({ list }) => list);
  return [
    ...difference('orphaned member', memberNames, wantedNames),
    ...difference('missing member', wantedNames, memberNames),
    ...difference('orphaned slug claim', claimNames, wantedClaims),
    ...difference('missing slug claim', wantedClaims, claimNames),
    ...[...buckets]
      .filter((bucket) => (counters.get(bucket) ?? 0) !== (counted.get(bucket)?.length ?? 0))
      .map((bucket) => `miscounted bucket ${bucket}`),
    ...[...ends]
      .filter(([list, of]) => of.some(({ position }) => position >= (allocated.get(list) ?? 0)))
      .map(([list]) => `allocator behind ${list}`),
  ].sort();
};

/** An inconsistency that the check has found, as it is called here. */
export const nameOfFound = (found: Entry): string =>
  ['kind', 'list', 'bucket', 'position', 'domain', 'slug', 'id'].flatMap((name) => found[name] ?? []).join(' ');

const read = ({ records }: StoredState): Stored => {
  const entries = [...records].map(([key, record]) => ({
    isContent: key.startsWith(`item-${TABLES.content}~`),
    entry: unmarshall(record as Record<string, AttributeValue>) as Entry,
  }));
  const content = entries.filter(({ isContent }) => isContent).map(({ entry }) => entry);
  const ofList = (kind: string) =>
    content.flatMap((entry): (Entry & { readonly list: string })[] => {
      const [found, list = ''] = String(entry.pk).split('#');
      return found === kind ? [{ ...entry, list }] : [];
    });
  const ofKind = (sk: string): Entry[] => content.filter((entry) => entry.sk === sk);
  const items = ofKind('item');
  const parts = {
    items,
    members: ofList('members').map(({ list, sk, member }) => ({ list, position: Number(sk), id: String(member) })),
    claims: ofKind('slug').map(({ pk, id }) => {
      const [, domain, slug] = String(pk).split('#');
      return { domain, slug, id };
    }),
    counters: new Map(
      ofList('counters').map(({ list, sk, members }) => [`${list} ${Number(sk)}`, Number(members)] as const),
    ),
    allocated: new Map(ofList('head').map(({ list, allocated }) => [list, Number(allocated)] as const)),
  };
  const facts = byText([
    ...items.map(({ allPosition, domainPosition, ...item }) => sorted(item)),
    ...ofKind('creation').map(sorted),
    ...entries.filter(({ isContent }) => !isContent).map(({ entry }) => sorted(entry)),
  ]);
  return { ...parts, facts, inconsistencies: inconsistenciesOf(parts) };
};

const known = new WeakMap<StoredState, Stored>();

/** The entries of a state. */
export const storedIn = (state: StoredState): Stored => {
  const stored = known.get(state) ?? read(state);
  known.set(state, stored);
  return stored;
};

/** A page of items, as a list returns it. */
export interface Page {
  readonly items: readonly { readonly id: string; readonly domain: string }[];
  readonly total: number;
}

/** The ids of a page and the total, by the items themselves. */
export const pageOf = (
  { items }: Stored,
  { domain, slug }: { readonly domain?: string; readonly slug?: string },
  { offset, limit }: { readonly offset: number; readonly limit: number },
) => {
  const position = domain === undefined ? 'allPosition' : 'domainPosition';
  const ids = items
    .filter((item) => item.domain === (domain ?? item.domain) && item.slug === (slug ?? item.slug))
    .sort((a, b) => Number(b[position]) - Number(a[position]))
    .map(({ id }) => String(id));
  return { ids: ids.slice(offset, offset + limit), total: ids.length };
};
