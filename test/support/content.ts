import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { contentImport } from '../../admin/import/content-import.ts';
import type { ContentFields } from '../../core/content/item.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { NOON } from './records.ts';

/** The moment of a change in a test: noon, with time enough for a slow machine. */
export const moment = () => ({ now: new Date(NOON), deadline: deadlineIn(20_000) });

export const someFields = (domain: string, slug: string): ContentFields => ({
  title: `Title of ${slug}`,
  content: 'Text',
  domain,
  slug,
  meta_description: '',
});

/** Creates items `item-0` … in a domain, in this order. @returns their ids */
export const fillDomain = async (
  db: DynamoDBDocumentClient,
  table: string,
  domain: string,
  count: number,
  fieldsOf = someFields,
): Promise<readonly string[]> => {
  const content = contentImport(db, table);
  const rows = Array.from({ length: count }, (_, nth) => ({ id: randomUUID(), ...fieldsOf(domain, `item-${nth}`) }));
  for (const row of rows) await content.importRow(row, moment());
  return rows.map(({ id }) => id);
};

type Tally = Map<string, number>;

const add = (tally: Tally, name: string, count = 1): void => {
  tally.set(name, (tally.get(name) ?? 0) + count);
};

/**
 * Lists slugs, members and counters that are stored more or less often than the stored items of a content table
 * require, which nobody changes meanwhile. The rules are written here again, independently of the product.
 */
export const inconsistenciesOf = async (client: DynamoDBDocumentClient, table: string): Promise<string[]> => {
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName: table, ConsistentRead: true }));
  const [stored, wanted]: [Tally, Tally] = [new Map(), new Map()];
  for (const { pk, sk, id, domain, slug, created_at, members } of pages.flatMap(({ Items = [] }) => Items)) {
    const [, prefix = '', kind] = /^((?:test|probe)#)?(\w+)#/.exec(String(pk)) ?? [];
    if (kind === 'slug') add(stored, `${pk} of ${id}`);
    if (kind === 'list') add(stored, `${pk} ${sk}`);
    if (kind === 'counters') add(stored, `${pk} ${sk}`, Number(members));
    if (kind !== 'item') continue;
    add(wanted, `${prefix}slug#${domain}#${slug} of ${id}`);
    for (const list of ['all', `domain:${domain}`]) {
      add(wanted, `${prefix}list#${list} ${created_at} ${id}`);
      add(wanted, `${prefix}counters#${list} ${Number(`0x${String(id).slice(-2)}`) % 32}`);
    }
  }
  const names = [...new Set([...stored.keys(), ...wanted.keys()])].sort();
  const countOf = (tally: Tally, name: string): number => tally.get(name) ?? 0;
  return names
    .filter((name) => countOf(stored, name) !== countOf(wanted, name))
    .map((name) => `${countOf(stored, name)} of ${countOf(wanted, name)} ${name}`);
};
