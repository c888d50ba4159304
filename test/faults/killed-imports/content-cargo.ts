import { contentCheck } from '../../../functions/content/content-check.ts';
import { contentExport } from '../../../functions/content/content-export.ts';
import { contentImport } from '../../../functions/content/content-import.ts';
import type { ImportedItem } from '../../../functions/content/imported-item.ts';
import type { ContentItem } from '../../../functions/content/item.ts';
import { moment, someFields } from '../../support/content.ts';
import type { TestEngine } from '../../support/engine.ts';
import type { Cargo, Wrongs } from './cargo.ts';

const DOMAINS = ['news.example', 'help.example', 'shop.example'] as const;
/** Items that fit one transaction, whatever their domains. */
const BATCH = 20;
const BAD_EVERY = 40;
/** The version of what is stored before; a file that gives none raises it by one. */
const OLD_VERSION = 3;

const isBad = (index: number): boolean => index % BAD_EVERY === BAD_EVERY - 1;
/** Every other item is known by its id, the rest by domain and slug; every third is new. */
const hasId = (index: number): boolean => index % 2 === 0;
const isNew = (index: number): boolean => index % 3 === 0;
const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const olderItem = (index: number): ImportedItem => ({
  ...someFields(DOMAINS[index % DOMAINS.length] ?? '', `item-${index}`),
  title: 'Older',
  id: idOf(index),
  version: OLD_VERSION,
});

/** Waits near the beginning of the file for a slug that the last of its kind lets go: one domain, stored, with ids. */
const WAITING = 4;
const STEP = 6;
const holderOf = (items: number): number => WAITING + STEP * Math.floor((items - 1 - WAITING) / STEP);

/** As the file has it. */
const newerItem = (index: number, items: number): ImportedItem => {
  const { id, version: _, ...older } = olderItem(index);
  const newer = { ...older, title: `Newer ${index}`, ...(hasId(index) && { id }) };
  if (index === WAITING) return { ...newer, slug: `item-${holderOf(items)}` };
  return index === holderOf(items) ? { ...newer, slug: 'moved-on' } : newer;
};

const lineOf = (index: number, items: number): string =>
  JSON.stringify({ ...newerItem(index, items), ...(isBad(index) && { slug: 'Bad Slug' }) });

const storeOlder = async ({ client, names }: TestEngine, items: readonly ImportedItem[]): Promise<void> => {
  const content = contentImport(client, names.content);
  for (let start = 0; start < items.length; start += BATCH) {
    await content.putMany(items.slice(start, start + BATCH), moment());
  }
};

const keyOf = ({ domain, slug }: Pick<ContentItem, 'domain' | 'slug'>): string => `${domain} ${slug}`;

const wrongsIn = async (
  { client, names }: TestEngine,
  imported: ReadonlyMap<string, { readonly item: ImportedItem; readonly version: number }>,
  untouched: ReadonlyMap<string, ImportedItem>,
): Promise<Wrongs> => {
  const stored = await Array.fromAsync(contentExport(client, names.content).items());
  const found = Map.groupBy(stored, keyOf);
  const isAsGiven = (one: ContentItem | undefined, { title, id }: ImportedItem, version: number): boolean =>
    one?.title === title && one.version === version && (id === undefined || one.id === id);
  const own = [...imported].map(([key, { item, version }]) => ({ item, version, of: found.get(key) ?? [] }));
  const strays = stored.filter((item) => !imported.has(keyOf(item)) && !untouched.has(keyOf(item)));
  const changed = [...untouched].filter(([key, item]) => !isAsGiven(found.get(key)?.[0], item, OLD_VERSION));
  const { faults } = await contentCheck(client, names.content).check(() => undefined);
  return {
    lost: own.filter(({ of }) => of.length === 0).length,
    doubled: own.filter(({ of }) => of.length > 1).length,
    stale: own.filter(({ item, version, of }) => of[0] !== undefined && !isAsGiven(of[0], item, version)).length,
    stray: strays.length + changed.length,
    inconsistent: faults.length,
  };
};

/** NDJSON of items: new ones and changes, with and without ids, some bad, one standing twice, one waiting for a slug and one in vain. */
export const contentCargo = (items: number): Cargo => {
  const indices = Array.from({ length: items }, (_, index) => index);
  /** Wants the slug of a stored item that keeps it: refused, but only at the end. */
  const unlucky = JSON.stringify({ ...olderItem(items), id: idOf(items + 1) });
  const lines = [unlucky, ...[...indices, 1].map((index) => lineOf(index, items))];
  const sound = indices.filter((index) => !isBad(index));
  const imported = new Map(
    sound.map((index) => {
      const item = newerItem(index, items);
      return [keyOf(item), { item, version: isNew(index) ? 1 : OLD_VERSION + 1 }];
    }),
  );
  const stored = [...indices, items].filter((index) => !isNew(index) || index === items).map(olderItem);
  const refusedSlugs = new Set(indices.filter(isBad).map((index) => keyOf(olderItem(index))));
  const isUntouched = (item: ImportedItem) => refusedSlugs.has(keyOf(item)) || item.slug === `item-${items}`;
  const untouched = new Map(stored.filter(isUntouched).map((item) => [keyOf(item), item]));
  return {
    kind: 'content',
    fileName: 'content.ndjson',
    text: lines.join('\n'),
    rows: lines.length,
    records: imported.size,
    storeOlder: (engine) => storeOlder(engine, stored),
    wrongsIn: (engine) => wrongsIn(engine, imported, untouched),
  };
};
