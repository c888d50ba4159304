import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ContentFields } from '../core/content/item.ts';
import { contentImport } from '../lib/content-maintenance/content-import.ts';
import { moment } from '../test/support/content.ts';

/** New items in one transaction: 23 of one domain fit. */
const BATCH = 23;

/** An item of about 1 kB. */
export const benchFields = (domain: string, slug: string): ContentFields => ({
  title: `Title of ${slug}`,
  content: 'x'.repeat(850),
  domain,
  slug,
  meta_description: 'About this item',
});

/** Stores so many items of one domain. @returns their ids */
export const loadDomain = async (
  db: DynamoDBDocumentClient,
  table: string,
  domain: string,
  count: number,
): Promise<readonly string[]> => {
  const content = contentImport(db, table);
  const items = Array.from({ length: count }, (_, n) => ({ id: randomUUID(), ...benchFields(domain, `item-${n}`) }));
  for (let start = 0; start < count; start += BATCH) {
    await content.importBatch(items.slice(start, start + BATCH), moment());
  }
  return items.map(({ id }) => id);
};
