/** Content that is stored before, the requests that change it, and what pages and walks of it must not answer. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addImportCommands } from '../../admin/import/import-commands.ts';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentFields, ContentItem } from '../../core/content/item.ts';
import { itemLine } from '../support/import-files.ts';
import { type StoredContent, TABLES } from './engine.ts';
import {
  beside,
  type Caller,
  eachWithEach,
  type Operation,
  type Pair,
  type Requests,
  resultOf,
  runCli,
} from './operation.ts';
import { alone } from './run-side.ts';

/** The content of live keys. */
const content = ({ db }: Caller) => contentTable(db, TABLES.content, 'live');

/** The fields that a side creates, and its Idempotency-Key. */
type Creation = Pick<ContentFields, 'slug'> & Partial<ContentFields> & { readonly idempotencyKey?: string };

const creating =
  (creationOf: (side: string) => Creation) =>
  async (caller: Caller): Promise<ContentItem> => {
    const { idempotencyKey, ...fields } = creationOf(caller.side);
    const whole = { title: fields.slug, content: 'Text', domain: 'a.example', meta_description: '', ...fields };
    const idempotency = idempotencyKey === undefined ? undefined : { keyId: 'key', idempotencyKey };
    return (await content(caller).create(whole, idempotency, caller.moment)).item;
  };

const seeding: Requests = [
  ...['third', 'first', 'second'].map((slug) => creating(() => ({ slug }))),
  creating(() => ({ slug: 'other', domain: 'b.example' })),
];

/** Four items in two domains, older than what the sides create. */
const seeded = await alone('1', seeding);

const first = resultOf<ContentItem>(seeded.outcomes[1]);

const folder = await mkdtemp(join(tmpdir(), 'orders-content-'));

/** Imports a file with one row. */
const importing = (slug: string, fields: object) => async (caller: Caller) => {
  const path = join(folder, `${slug}-${caller.side}.ndjson`);
  await writeFile(path, itemLine(slug, { domain: 'a.example', title: caller.side, ...fields }));
  const data = (await runCli(addImportCommands, caller, 'import', 'content', path)) as Record<string, unknown>;
  return { loaded: data.loaded, unchanged: data.unchanged, rejected: data.rejected };
};

const updating = (changesOf: (side: string) => Partial<ContentFields>, ifMatch?: string) => (caller: Caller) =>
  content(caller).update(first.id, changesOf(caller.side), ifMatch, caller.moment);

const removing = (idOf: (caller: Caller) => string) => (caller: Caller) =>
  content(caller).remove(idOf(caller), undefined, caller.moment);

const create = creating((side) => ({ slug: `new-${side}` }));
const moveAway = updating(() => ({ domain: 'b.example' }));
const retitled = (side: string) => ({ title: side });

/** The two sides of a pair write other values, but for slugs and Idempotency-Keys. */
const changes: Readonly<Record<string, Requests>> = {
  create: [create],
  'create with a slug': [creating((side) => ({ slug: 'new', title: side }))],
  'create with an Idempotency-Key': [creating(() => ({ slug: 'once', idempotencyKey: 'once' }))],
  'create with the key and another body': [creating(() => ({ slug: 'once', title: 'Other', idempotencyKey: 'once' }))],
  update: [updating(retitled)],
  'update if it matches': [updating(retitled, '"1"')],
  rename: [updating(() => ({ slug: 'new' }))],
  move: [moveAway],
  'move and return': [moveAway, updating(() => ({ domain: 'a.example' }))],
  delete: [removing(() => first.id)],
  'import of a slug': [importing('new', {})],
  'import of an id': [importing('new', { id: first.id })],
  'import of an older time': [importing('first', { id: first.id, created_at: '2020-01-01T00:00:00Z' })],
  'create, then delete another': [create, removing(() => first.id)],
  'create and delete': [create, removing(({ earlier }) => resultOf<ContentItem>(earlier[0]).id)],
};

const changingOperations: readonly Operation[] = Object.entries(changes).map(([name, requests]) => ({
  name,
  requests,
}));

type Filter = { readonly domain?: string; readonly slug?: string };

interface Page {
  readonly items: readonly { readonly id: string; readonly domain: string; readonly slug: string }[];
  readonly total: number;
}

/** The ids of a list, by the items themselves. */
const idsOf = ({ items }: StoredContent, { domain, slug }: Filter): string[] =>
  items
    .filter((item) => item.domain === (domain ?? item.domain) && item.slug === (slug ?? item.slug))
    .map(({ created_at, id }) => `${created_at} ${id}`)
    .sort()
    .reverse()
    .map((place) => place.replace(/.* /, ''));

/** The ids that were shown all the time, those that ever were, and the lengths of the list. */
interface ListStates {
  readonly always: readonly string[];
  readonly ever: readonly string[];
  readonly least: number;
  readonly most: number;
}

const observing =
  (filter: Filter, shown: (ids: readonly string[]) => readonly string[]) =>
  (observed: unknown, stored: StoredContent): ListStates => {
    const all = idsOf(stored, filter);
    const ids = shown(all);
    const start = { always: ids, ever: [], least: all.length, most: all.length };
    const { always, ever, least, most } = (observed as ListStates | null) ?? start;
    return {
      always: always.filter((id) => ids.includes(id)),
      ever: [...new Set([...ever, ...all])].sort(),
      least: Math.min(least, all.length),
      most: Math.max(most, all.length),
    };
  };

const namesOf = (problems: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(problems).flatMap(([problem, isThere]) => (isThere ? [problem] : []));

const list = (name: string, filter: Filter, offset: number, limit: number): Operation => ({
  name: `list ${name}`,
  requests: [(caller) => content(caller).list(filter, { offset, limit }, caller.moment.deadline)],
  reading: {
    observe: observing(filter, (ids) => ids.slice(offset, offset + limit)),
    check: (result, observed) => {
      const { items, total } = result as Page;
      const { always, least, most } = observed as ListStates;
      const ids = items.map(({ id }) => id);
      return namesOf({
        'a page has an item twice': new Set(ids).size < ids.length,
        'a page has an item of another domain': items.some(({ domain }) => domain !== (filter.domain ?? domain)),
        'a page has an item of another slug': items.some(({ slug }) => slug !== (filter.slug ?? slug)),
        'a page lacks an item that was on it all the time': always.some((id) => !ids.includes(id)),
        'a total is none that the list has had': total < least || total > most,
        'a total is less than offset and page': ids.length > 0 && total < offset + ids.length,
      });
    },
  },
});

const readAll = async (filter: Filter, caller: Caller): Promise<string[]> => {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const bounds = { offset: 0, limit: 2, after };
    const { items, next } = await content(caller).list(filter, bounds, caller.moment.deadline);
    ids.push(...items.map(({ id }) => id));
    if (next === null) return ids;
    after = next;
  }
};

const walk = (name: string, filter: Filter): Operation => ({
  name: `walk ${name}`,
  requests: [(caller) => readAll(filter, caller)],
  reading: {
    observe: observing(filter, (ids) => ids),
    check: (result, observed) => {
      const ids = result as readonly string[];
      const { always, ever } = observed as ListStates;
      return namesOf({
        'a walk has an item twice': new Set(ids).size < ids.length,
        'a walk lacks an item that stayed': always.some((id) => !ids.includes(id)),
        'a walk has an item that was not in the list': ids.some((id) => !ever.includes(id)),
      });
    },
  },
});

const A = { domain: 'a.example' };

const lists: readonly Operation[] = [
  list('first page', A, 0, 2),
  list('last page', A, 2, 2),
  list('only page', A, 0, 3),
  list('of the other domain', { domain: 'b.example' }, 0, 2),
  list('of all', {}, 0, 3),
  list('last page of all', {}, 2, 4),
  list('by slug', { ...A, slug: 'first' }, 0, 2),
  walk('of a domain', A),
  walk('of all', {}),
];

/** An item whose time changes moves in its list: a walk may then show it twice or not at all. */
const isExempt = ({ sides: [one, other] }: Pair): boolean =>
  one.name.startsWith('walk') && other.name === 'import of an older time';

export const contentPairs: readonly Pair[] = [
  ...eachWithEach(changingOperations, seeded.stored),
  ...beside(lists, changingOperations, seeded.stored).filter((pair) => !isExempt(pair)),
];
