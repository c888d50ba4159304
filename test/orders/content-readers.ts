/** Pages and walks of content, and what they must not answer. */
import { content } from './content-changes.ts';
import type { Caller, Operation } from './operation.ts';
import type { StoredContent } from './stored-content.ts';

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

const gathering =
  (filter: Filter, shown: (ids: readonly string[]) => readonly string[]) =>
  (gathered: unknown, stored: StoredContent): ListStates => {
    const all = idsOf(stored, filter);
    const ids = shown(all);
    const start = { always: ids, ever: [], least: all.length, most: all.length };
    const { always, ever, least, most } = (gathered as ListStates | null) ?? start;
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
    gather: gathering(filter, (ids) => ids.slice(offset, offset + limit)),
    judge: (result, gathered) => {
      const { items, total } = result as Page;
      const { always, least, most } = gathered as ListStates;
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

const readAll = async (filter: Filter, { moment, ...caller }: Caller): Promise<string[]> => {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const bounds = { offset: 0, limit: 2, after };
    const { items, next } = await content({ moment, ...caller }).list(filter, bounds, moment.deadline);
    ids.push(...items.map(({ id }) => id));
    if (next === null) return ids;
    after = next;
  }
};

const walk = (name: string, filter: Filter): Operation => ({
  name: `walk ${name}`,
  requests: [(caller) => readAll(filter, caller)],
  reading: {
    gather: gathering(filter, (ids) => ids),
    judge: (result, gathered) => {
      const ids = result as readonly string[];
      const { always, ever } = gathered as ListStates;
      return namesOf({
        'a walk has an item twice': new Set(ids).size < ids.length,
        'a walk lacks an item that stayed': always.some((id) => !ids.includes(id)),
        'a walk has an item that was not in the list': ids.some((id) => !ever.includes(id)),
      });
    },
  },
});

const A = { domain: 'a.example' };

export const lists: readonly Operation[] = [
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
