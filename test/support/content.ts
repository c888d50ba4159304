import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ContentFields } from '../../core/content/item.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { contentImport } from '../../lib/content-maintenance/content-import.ts';
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

/** New items in one transaction: 23 of one domain fit. */
const BATCH = 23;

/** Creates items `item-0` … in a domain, in this order. */
export const fillDomain = async (
  db: DynamoDBDocumentClient,
  table: string,
  domain: string,
  count: number,
): Promise<void> => {
  const content = contentImport(db, table);
  const rows = Array.from({ length: count }, (_, index) => someFields(domain, `item-${index}`));
  for (let start = 0; start < count; start += BATCH)
    await content.importBatch(rows.slice(start, start + BATCH), moment());
};
