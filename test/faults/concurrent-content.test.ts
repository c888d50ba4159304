import { expect, it } from '@jest/globals';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { ApiError } from '../../core/problems.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { fillDomain, inconsistenciesOf, someFields } from '../support/content.ts';
import { clientOf, startEngine } from '../support/engine.ts';
import { seededNumbers } from '../support/fault-choosers.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const MILLISECONDS = bySize(2_000, 30_000);
const WRITERS = 8;
const READERS = 3;
const SEED = 20_261_126;
/** Items that nobody changes, and those that the writers begin with. */
const STAYING = 60;
const CHANGING = 60;
const DOMAINS = ['a.example', 'b.example'] as const;

interface Walk {
  readonly domain: string | undefined;
  readonly ids: readonly string[];
}

it(
  'Eight writers beside readers and walkers: no item twice, none that stays missing, no total too low',
  async () => {
    const engine = await startEngine();
    const { names } = engine;
    const staying = (
      await Promise.all(DOMAINS.map((domain) => fillDomain(engine.client, names.content, domain, STAYING / 2)))
    ).flat();
    const client = clientOf(engine.endpoint);
    const content = contentTable(client, names.content, 'live');
    const next = seededNumbers(SEED);
    const any = <T>(values: readonly T[]): T | undefined => values[Math.floor(next() * values.length)];
    const end = performance.now() + MILLISECONDS;
    const isOver = (): boolean => performance.now() > end;
    const moment = () => ({ now: new Date(), deadline: deadlineIn(20_000) });
    const problems = new Set<string>();
    const figures = { changes: 0, pages: 0, walks: 0 };

    const changing: string[] = [];
    const create = async (): Promise<void> => {
      const slug = `changing-${Math.floor(next() * 1e12)}`;
      changing.push((await content.create(someFields(any(DOMAINS) ?? '', slug), undefined, moment())).item.id);
    };
    for (let count = 0; count < CHANGING; count += 1) await create();

    /** Others may have deleted the item. */
    const change = async (): Promise<void> => {
      const id = any(changing) ?? '';
      const kind = next();
      try {
        if (kind < 0.4) await create();
        else if (kind < 0.8) await content.update(id, { domain: any(DOMAINS) ?? '' }, {}, moment());
        else await content.remove(id, {}, moment());
        figures.changes += 1;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    };

    const requireDistinct = (what: string, items: readonly ContentItem[], domain: string | undefined): void => {
      if (new Set(items.map(({ id }) => id)).size < items.length) problems.add(`${what} has an item twice`);
      if (items.some((item) => item.domain !== (domain ?? item.domain))) problems.add(`${what} has another domain`);
    };

    const readPage = async (): Promise<void> => {
      const domain = any([...DOMAINS, undefined]);
      const offset = Math.floor(next() * STAYING);
      const { items, total } = await content.list(
        { ...(domain && { domain }) },
        { offset, limit: 10 },
        deadlineIn(9_000),
      );
      requireDistinct('a page', items, domain);
      if (items.length > 0 && total < offset + items.length) problems.add('a total is less than offset and page');
      if (total < STAYING / (domain === undefined ? 1 : 2)) problems.add('a total lacks items that stay');
      figures.pages += 1;
    };

    const walk = async (): Promise<Walk> => {
      const domain = any([...DOMAINS, undefined]);
      const items: ContentItem[] = [];
      for (let after: string | undefined; ; ) {
        const bounds = { offset: 0, limit: 7, after };
        const page = await content.list({ ...(domain && { domain }) }, bounds, deadlineIn(9_000));
        items.push(...page.items);
        if (page.next === null) break;
        after = page.next;
      }
      requireDistinct('a walk', items, domain);
      return { domain, ids: items.map(({ id }) => id) };
    };

    const stayingIn = new Map([
      ...DOMAINS.map((domain, nth) => {
        const half = STAYING / 2;
        return [domain as string | undefined, staying.slice(nth * half, (nth + 1) * half)] as const;
      }),
      [undefined, staying] as const,
    ]);
    const walkAll = async (): Promise<void> => {
      const { domain, ids } = await walk();
      if (stayingIn.get(domain)?.some((id) => !ids.includes(id))) problems.add('a walk lacks an item that stays');
      figures.walks += 1;
    };

    const repeat = async (work: () => Promise<void>): Promise<void> => {
      while (!isOver()) await work();
    };
    try {
      await Promise.all([
        ...Array.from({ length: WRITERS }, () => repeat(change)),
        ...Array.from({ length: READERS }, () => repeat(readPage)),
        ...Array.from({ length: READERS }, () => repeat(walkAll)),
      ]);
      expect([...problems]).toEqual([]);
      expect(Math.min(...Object.values(figures))).toBeGreaterThan(0);
      expect(await inconsistenciesOf(client, names.content)).toEqual([]);
      reportFigures('content at once', figures);
    } finally {
      client.destroy();
      await engine.stop();
    }
  },
  TIMEOUT_MS,
);
