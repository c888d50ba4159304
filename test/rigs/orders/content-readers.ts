/** The lists and the check of content, and what they must not answer. */
import { type ContentReport, checkContent } from '../../../admin/content/content-check.ts';
import { content } from './content-changes.ts';
import { TABLES } from './engine.ts';
import type { Operation } from './operation.ts';
import { nameOfFound, type StoredContent } from './stored-content.ts';

type Filter = { readonly domain?: string; readonly slug?: string };

interface Page {
  readonly items: readonly { readonly id: string; readonly domain: string; readonly slug: string }[];
  readonly total: number;
}

/** The ids of a list, by the items themselves. */
const idsOf = ({ items }: StoredContent, { domain, slug }: Filter): string[] => {
  const position = domain === undefined ? 'allPosition' : 'domainPosition';
  return items
    .filter((item) => item.domain === (domain ?? item.domain) && item.slug === (slug ?? item.slug))
    .sort((a, b) => Number(b[position]) - Number(a[position]))
    .map(({ id }) => String(id));
};

interface PageStates {
  /** The ids that were on the page all the time. */
  readonly always: readonly string[];
  readonly least: number;
  readonly most: number;
  readonly before: readonly string[];
  readonly joined: number;
  /** How many items the page may lack: so many of those before have left after others had joined. */
  readonly mayLack: number;
}

const list = (name: string, filter: Filter, offset: number, limit: number): Operation => ({
  name: `list ${name}`,
  requests: [(caller) => content(caller).list(filter, { offset, limit }, caller.moment.deadline)],
  reading: {
    gather: (gathered, stored): PageStates => {
      const all = idsOf(stored, filter);
      const ids = all.slice(offset, offset + limit);
      const total = all.length;
      const start = { always: ids, least: total, most: total, before: all, joined: 0, mayLack: 0 };
      const { always, least, most, before, ...earlier } = (gathered as PageStates | null) ?? start;
      const both = always.filter((id) => ids.includes(id));
      const joined = Math.max(earlier.joined, all.filter((id) => !before.includes(id)).length);
      const left = before.filter((id) => !all.includes(id)).length;
      const mayLack = Math.max(earlier.mayLack, Math.min(joined, left));
      return { always: both, least: Math.min(least, total), most: Math.max(most, total), before, joined, mayLack };
    },
    judge: (result, gathered) => {
      const { items, total } = result as Page;
      const { always, least, most, mayLack } = gathered as PageStates;
      const ids = items.map(({ id }) => id);
      const problems = {
        'a page has an item twice': new Set(ids).size < ids.length,
        'a page has an item of another domain': items.some(({ domain }) => domain !== (filter.domain ?? domain)),
        'a page has an item of another slug': items.some(({ slug }) => slug !== (filter.slug ?? slug)),
        'a page lacks an item that was on it all the time': always.filter((id) => !ids.includes(id)).length > mayLack,
        'a total is none that the list has had': total < least - mayLack || total > most,
        'a total is less than offset and page': ids.length > 0 && total < offset + ids.length,
      };
      return Object.entries(problems).flatMap(([problem, isThere]) => (isThere ? [problem] : []));
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
];

/** What a check has found, and what it could not count, as `Stored` names inconsistencies. */
export const namesIn = ({ inconsistencies, busy }: ContentReport) => ({
  found: inconsistencies.map(nameOfFound).sort(),
  busy: busy.map((bucket) => nameOfFound({ kind: 'miscounted bucket', ...bucket })),
});

interface Inconsistencies {
  readonly always: readonly string[];
  readonly ever: readonly string[];
}

export const check: Operation = {
  name: 'check',
  requests: [({ db }) => checkContent(db, TABLES.content)],
  // Each suspicion is confirmed by itself, each bucket counted by itself.
  inOrder: true,
  reading: {
    gather: (gathered, { inconsistencies }): Inconsistencies => {
      const { always, ever } = (gathered as Inconsistencies | null) ?? { always: inconsistencies, ever: [] };
      const either = new Set([...ever, ...inconsistencies]);
      return { always: always.filter((name) => inconsistencies.includes(name)), ever: [...either].sort() };
    },
    judge: (result, gathered) => {
      const { always, ever } = gathered as Inconsistencies;
      const { found, busy } = namesIn(result as ContentReport);
      const wrong = found.filter((name) => !ever.includes(name));
      const missed = always.filter((name) => !found.includes(name) && !busy.includes(name));
      return [
        ...wrong.map((name) => `the check calls inconsistent what never was: ${name}`),
        ...missed.map((name) => `the check misses ${name}`),
      ];
    },
  },
};
