/** Files to import, what is stored before and what must be stored afterwards. */
import { isDeepStrictEqual } from 'node:util';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { checkContent } from '../../../lib/content-maintenance/content-check.ts';
import { contentExport } from '../../../lib/content-maintenance/content-export.ts';
import { contentImport } from '../../../lib/content-maintenance/content-import.ts';
import type { ImportedItem } from '../../../lib/content-maintenance/imported-item.ts';
import { vehicleRow, vehiclesCsv } from '../../admin/import-files.ts';
import { moment, someFields } from '../../support/content.ts';
import { storeItems, type TestEngine } from '../../support/engine.ts';
import { aCompliance, aPolicy, aVehicle } from '../../support/records.ts';

export interface ImportFixture {
  readonly kind: 'vehicles' | 'compliance' | 'content';
  readonly fileName: string;
  readonly text: string;
  /** Stores older records of what the file contains, and one record that it does not contain. */
  readonly storeOlder: (engine: TestEngine) => Promise<void>;
  /** Records that are lost, duplicated, not as the file has them or not in its order, and inconsistencies; empty is right. */
  readonly differences: (engine: TestEngine) => Promise<object[]>;
}

/** Every so many records one is invalid and rejected: what is stored of it stays. */
const BAD_EVERY = 40;
const isBad = (index: number): boolean => index % BAD_EVERY === BAD_EVERY - 1;
const indicesTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const differencesBetween = (actual: readonly object[], expected: readonly object[]): object[] =>
  indicesTo(Math.max(actual.length, expected.length))
    .filter((index) => !isDeepStrictEqual(actual[index], expected[index]))
    .map((index) => ({ actual: actual[index], expected: expected[index] }));

interface Item {
  readonly registration: string;
  readonly lastUpdated?: string | undefined;
}

/**
 * A table by registration; the record of index `count` is not in the file. What has no time in the file gets that of the
 * import's first start, `began`, however often it was killed; a stored older record has another or none.
 */
const tableFixture = (
  kind: 'vehicles' | 'compliance',
  count: number,
  recordOf: (index: number, began: string | undefined) => Item,
  olderRecordOf: (index: number) => Item,
) => {
  const byRegistration = (a: Item, b: Item) => (a.registration < b.registration ? -1 : 1);
  const expected = (began: string | undefined) =>
    indicesTo(count + 1).map((index) =>
      isBad(index) || index === count ? olderRecordOf(index) : recordOf(index, began),
    );
  return {
    kind,
    storeOlder: ({ client, names }: TestEngine) =>
      storeItems(client, names[kind], indicesTo(count + 1).map(olderRecordOf)),
    differences: async ({ client, names }: TestEngine) => {
      const pages = await Array.fromAsync(paginateScan({ client }, { TableName: names[kind], ConsistentRead: true }));
      const stored = pages.flatMap(({ Items = [] }) => Items as unknown as Item[]);
      const began = stored.find(({ lastUpdated }) => lastUpdated !== undefined)?.lastUpdated;
      return differencesBetween(stored.sort(byRegistration), expected(began).sort(byRegistration));
    },
  };
};

/** Every so many vehicles one has all rows but its first at the end of the file. */
const SCATTERED_EVERY = 30;
const isScattered = (index: number): boolean => index % SCATTERED_EVERY === SCATTERED_EVERY - 1;

/** A CSV of vehicles with one to three rows each, some of them invalid and some scattered. */
export const vehicleFixture = (count: number): ImportFixture => {
  const policies = (index: number) =>
    indicesTo(1 + (index % 3)).map((nth) => ({ number: `NEW-${index}-${nth}`, insurer: `Insurer ${index % 7}` }));
  const rowsOf = (index: number) =>
    policies(index).map(({ number, insurer }, nth) => {
      const valid_to = isBad(index) && nth === 0 ? '2026-02-30' : '2026-12-31';
      return vehicleRow({ registration: `KI${index}`, policy_number: number, insurer, valid_to });
    });
  const inPlace = indicesTo(count).flatMap((index) => rowsOf(index).slice(0, isScattered(index) ? 1 : undefined));
  const atEnd = indicesTo(count)
    .filter(isScattered)
    .flatMap((index) => rowsOf(index).slice(1));
  return {
    ...tableFixture(
      'vehicles',
      count,
      (index) => ({
        ...aVehicle(`KI${index}`, policies(index).map(aPolicy)),
        vehicle: { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' },
      }),
      (index) => ({ ...aVehicle(`KI${index}`), lastUpdated: '2025-01-01T00:00:00.000Z' }),
    ),
    fileName: 'vehicles.csv',
    text: vehiclesCsv(...inPlace, ...atEnd, vehicleRow({ registration: '?' })),
  };
};

/** NDJSON of compliance records, some of them invalid; the first record is there twice. */
export const complianceFixture = (count: number): ImportFixture => {
  const recordOf = (index: number) => aCompliance(`KI${index}`, { outstandingFines: index });
  const lineOf = (index: number) =>
    JSON.stringify({ ...recordOf(index), ...(isBad(index) && { outstandingFines: -1 }) });
  return {
    ...tableFixture(
      'compliance',
      count,
      (index, began) => ({ ...recordOf(index), lastUpdated: began }),
      (index) => aCompliance(`KI${index}`, { mot: { dueDate: '2025-12-01' } }),
    ),
    fileName: 'compliance.ndjson',
    text: [...indicesTo(count), 0].map(lineOf).join('\n'),
  };
};

const DOMAINS = ['news.example', 'help.example', 'shop.example'] as const;
/** Items that fit one transaction, whatever their domains. */
const BATCH = 20;
const OLD_VERSION = 3;
const OLD_MOMENT = '2025-01-01T00:00:00.000Z';
/** Every other item is identified by its id, the others by domain and slug; two of three are new. */
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

/** Near the beginning of the file, wants a slug that its last item with the same domain and an id gives up. */
const WAITING = 4;
const STEP = 6;

/** NDJSON of items: new and changed, with and without ids, some invalid, one twice, one waiting for a slug and one in vain. */
export const contentFixture = (count: number): ImportFixture => {
  const holder = WAITING + STEP * Math.floor((count - 1 - WAITING) / STEP);
  const slugOf = (index: number) => {
    if (index === WAITING) return `item-${holder}`;
    return index === holder ? 'moved-on' : `item-${index}`;
  };
  const newerItem = (index: number) => {
    const { domain, content, meta_description } = olderItem(index);
    const item = { domain, content, meta_description, slug: slugOf(index), title: `Newer ${index}` };
    return { ...item, ...(hasId(index) && { id: idOf(index) }) };
  };
  const lineOf = (index: number) => JSON.stringify({ ...newerItem(index), ...(isBad(index) && { slug: 'Bad Slug' }) });
  /** Wants the slug of an item that keeps it: rejected at the end. */
  const inVain = JSON.stringify({ ...olderItem(count), id: idOf(count + 1) });
  const stored = indicesTo(count + 1).filter((index) => !isNew(index) || index === count);
  const changed = { created_at: OLD_MOMENT, version: OLD_VERSION + 1 };
  const expected: Partial<ImportedItem>[] = [
    ...stored.map((index) =>
      isBad(index) || index === count ? olderItem(index) : { ...newerItem(index), id: idOf(index), ...changed },
    ),
    ...indicesTo(count)
      .filter((index) => isNew(index) && !isBad(index) && index !== count)
      .map((index) => ({ ...newerItem(index), version: 1 })),
  ];
  return {
    kind: 'content',
    fileName: 'content.ndjson',
    text: [inVain, ...[...indicesTo(count), 1].map(lineOf)].join('\n'),
    storeOlder: async ({ client, names }) => {
      const content = contentImport(client, names.content);
      for (let start = 0; start < stored.length; start += BATCH)
        await content.importBatch(stored.slice(start, start + BATCH).map(olderItem), moment());
    },
    differences: async ({ client, names }) => {
      const items = await Array.fromAsync(contentExport(client, names.content).items());
      // Without a time in the file, that of the import's first start; new items have ids that nobody knows before.
      const began = items.find(({ updated_at }) => updated_at !== OLD_MOMENT)?.updated_at;
      const filled = expected.map((item, index) => ({
        id: items[index]?.id,
        created_at: began,
        updated_at: began,
        ...item,
      }));
      const { inconsistencies } = await checkContent(client, names.content);
      return [...differencesBetween(items, filled), ...inconsistencies];
    },
  };
};
