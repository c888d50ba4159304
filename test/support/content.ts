import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { contentImport, ITEMS_PER_TRANSACTION } from '../../admin/import/content-import.ts';
import type { ContentFields } from '../../core/content/item.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { NOON } from './clock.ts';

/** The moment of a change in a test: noon, with time enough for a slow machine. */
export const moment = (milliseconds = 20_000) => ({ now: new Date(NOON), deadline: deadlineIn(milliseconds) });

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
  for (let start = 0; start < count; start += ITEMS_PER_TRANSACTION)
    await content.importBatch(rows.slice(start, start + ITEMS_PER_TRANSACTION), moment());
  return rows.map(({ id }) => id);
};
