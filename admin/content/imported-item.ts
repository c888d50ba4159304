import { type ContentFields, type ContentItem, latest } from '../../core/content/item.ts';

/** An item of a file: the fields and, where the file has them, the values that the service sets. */
export type ImportedItem = ContentFields & Partial<ContentItem>;

const FIELDS = ['title', 'content', 'domain', 'slug', 'meta_description', 'created_at', 'updated_at'] as const;

/** The item that a row creates. `now` is ISO 8601 UTC. */
export const newItem = ({ version = 1, ...row }: ImportedItem, id: string, now: string): ContentItem => {
  const created_at = row.created_at ?? row.updated_at ?? now;
  return { ...row, id, created_at, updated_at: row.updated_at ?? created_at, version };
};

/**
 * The stored item with the row's values; undefined when nothing changes. Every change increments the version, because
 * writes are conditional on it, and `updated_at` never decreases unless the file has it. `now` is ISO 8601 UTC.
 */
export const replacement = (stored: ContentItem, row: ImportedItem, now: string): ContentItem | undefined => {
  const changes = FIELDS.some((field) => row[field] !== undefined && row[field] !== stored[field]);
  const version = row.version ?? 0;
  if (!changes && version <= stored.version) return undefined;
  return {
    ...stored,
    ...row,
    id: stored.id,
    updated_at: row.updated_at ?? latest(now, stored.updated_at, row.created_at ?? ''),
    version: Math.max(version, stored.version + 1),
  };
};

/**
 * Maximum number of new items in one transaction. Each needs four DynamoDB items, and changes at most one counter in
 * each of its two lists. So 16 items need 96 actions of the 100 that DynamoDB permits.
 */
export const ITEMS_PER_TRANSACTION = 16;
/** DynamoDB's limit for one transaction, with room left for keys and attribute names. */
const MAX_BYTES = 3_500_000;

const bytesOf = (fields: ContentFields): number =>
  Object.values(fields).reduce((sum: number, value) => sum + Buffer.byteLength(String(value)), 0);

/** Whether one transaction can create the items. */
export const fitsOneTransaction = (items: readonly ContentFields[]): boolean =>
  items.length <= ITEMS_PER_TRANSACTION && items.reduce((sum, item) => sum + bytesOf(item), 0) <= MAX_BYTES;
