import { isDeepStrictEqual } from 'node:util';
import type { ContentItem } from '../../../functions/content/item.ts';
import { contentCheck } from '../../../lib/content-maintenance/content-check.ts';
import { contentExport } from '../../../lib/content-maintenance/content-export.ts';
import { contentImport } from '../../../lib/content-maintenance/content-import.ts';
import type { ImportedItem } from '../../../lib/content-maintenance/imported-item.ts';
import { moment, someFields } from '../../support/content.ts';
import type { TestEngine } from '../../support/engine.ts';
import type { ImportErrors, ImportFixture } from './fixture.ts';

const DOMAINS = ['news.example', 'help.example', 'shop.example'] as const;
/** Items that fit one transaction, whatever their domains. */
const BATCH = 20;
const BAD_EVERY = 40;
/** Of what is stored before; a file that gives neither raises the version by one. */
const OLD_VERSION = 3;
const OLD_MOMENT = '2025-01-01T00:00:00.000Z';

const isBad = (index: number): boolean => index % BAD_EVERY === BAD_EVERY - 1;
/** Every other item is known by its id, the rest by domain and slug; two of three are new. */
const hasId = (index: number): boolean => index % 2 === 0;
const isNew = (index: number): boolean => index % 3 !== 1;
const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const olderItem = (index: number): ImportedItem => ({
  ...someFields(DOMAINS[index % DOMAINS.length] ?? '', `item-${index}`),
  title: 'Older',
  id: idOf(index),
  created_at: OLD_MOMENT,
  updated_at: OLD_MOMENT,
  version: OLD_VERSION,
});

/** Waits near the beginning of the file for a slug that the last of its kind lets go: one domain, stored, with ids. */
const WAITING = 4;
const STEP = 6;
const holderOf = (items: number): number => WAITING + STEP * Math.floor((items - 1 - WAITING) / STEP);

/** As the file has it. */
const newerItem = (index: number, items: number): ImportedItem => {
  const { id, version: _version, created_at: _created, updated_at: _updated, ...older } = olderItem(index);
  const newer = { ...older, title: `Newer ${index}`, ...(hasId(index) && { id }) };
  if (index === WAITING) return { ...newer, slug: `item-${holderOf(items)}` };
  return index === holderOf(items) ? { ...newer, slug: 'moved-on' } : newer;
};

const lineOf = (index: number, items: number): string =>
  JSON.stringify({ ...newerItem(index, items), ...(isBad(index) && { slug: 'Bad Slug' }) });

const storeOlder = async ({ client, names }: TestEngine, items: readonly ImportedItem[]): Promise<void> => {
  const content = contentImport(client, names.content);
  for (let start = 0; start < items.length; start += BATCH) {
    await content.importBatch(items.slice(start, start + BATCH), moment());
  }
};

const keyOf = ({ domain, slug }: Pick<ContentItem, 'domain' | 'slug'>): string => `${domain} ${slug}`;

/** What an item must be; a moment that is not told is that at which the import began. */
type Expected = Omit<ImportedItem, 'updated_at'>;

const isAsExpected = (stored: ContentItem, expected: Expected, began: string): boolean =>
  isDeepStrictEqual(stored, { id: stored.id, created_at: began, updated_at: began, ...expected });

/** `inOrder` names every item, the first to join its list first. */
const errorsIn = async (
  { client, names }: TestEngine,
  imported: ReadonlyMap<string, Expected>,
  untouched: ReadonlyMap<string, ImportedItem>,
  inOrder: readonly string[],
): Promise<ImportErrors> => {
  const stored = await Array.fromAsync(contentExport(client, names.content).items());
  const found = Map.groupBy(stored, keyOf);
  const began = stored.find(({ updated_at }) => updated_at !== OLD_MOMENT)?.updated_at ?? '';
  const own = [...imported].map(([key, expected]) => ({ expected, of: found.get(key) ?? [] }));
  const strays = stored.filter((item) => !imported.has(keyOf(item)) && !untouched.has(keyOf(item)));
  const changed = [...untouched].filter(([key, item]) => !isDeepStrictEqual(found.get(key)?.[0], item));
  const { inconsistencies } = await contentCheck(client, names.content).check();
  return {
    lost: own.filter(({ of }) => of.length === 0).length,
    duplicates: own.filter(({ of }) => of.length > 1).length,
    stale: own.filter(({ expected, of: [one] }) => one !== undefined && !isAsExpected(one, expected, began)).length,
    stray: strays.length + changed.length,
    inconsistent: inconsistencies.length,
    misplaced: inOrder.filter((key, place) => stored[place] === undefined || keyOf(stored[place]) !== key).length,
  };
};

/** NDJSON of items: new ones and changes, with and without ids, some bad, one standing twice, one waiting for a slug and one in vain. */
export const contentFixture = (items: number): ImportFixture => {
  const indices = Array.from({ length: items }, (_, index) => index);
  /** Wants the slug of a stored item that keeps it: refused, but only at the end. */
  const unlucky = JSON.stringify({ ...olderItem(items), id: idOf(items + 1) });
  const lines = [unlucky, ...[...indices, 1].map((index) => lineOf(index, items))];
  const sound = indices.filter((index) => !isBad(index));
  const imported = new Map(
    sound.map((index): [string, Expected] => {
      const item = newerItem(index, items);
      const replaced = { id: idOf(index), created_at: OLD_MOMENT, version: OLD_VERSION + 1 };
      return [keyOf(item), { ...item, ...(isNew(index) ? { version: 1 } : replaced) }];
    }),
  );
  const storedIndices = [...indices, items].filter((index) => !isNew(index) || index === items);
  const isUntouched = (index: number) => index === items || isBad(index);
  const untouched = new Map(
    storedIndices.filter(isUntouched).map((index) => [keyOf(olderItem(index)), olderItem(index)]),
  );
  const inOrder = [
    ...storedIndices.map((index) => (isUntouched(index) ? olderItem(index) : newerItem(index, items))),
    ...sound.filter(isNew).map((index) => newerItem(index, items)),
  ].map(keyOf);
  return {
    kind: 'content',
    fileName: 'content.ndjson',
    text: lines.join('\n'),
    rows: lines.length,
    records: imported.size,
    storeOlder: (engine) => storeOlder(engine, storedIndices.map(olderItem)),
    errorsIn: (engine) => errorsIn(engine, imported, untouched, inOrder),
  };
};
