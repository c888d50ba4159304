import { type ContentFields, type ContentItem, latest } from '../../functions/content/item.ts';

/** An item as a file gives it: the fields, and what the service sets itself where the file says that too. */
export interface ImportedItem extends ContentFields {
  readonly id?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly version?: number;
}

const FIELDS = ['title', 'content', 'domain', 'slug', 'meta_description', 'created_at', 'updated_at'] as const;

/** The item that a row makes where there was none. `now` is ISO 8601 UTC. */
export const newItem = ({ version = 1, ...given }: ImportedItem, id: string, now: string): ContentItem => {
  const created_at = given.created_at ?? given.updated_at ?? now;
  return { ...given, id, created_at, updated_at: given.updated_at ?? created_at, version };
};

/**
 * The stored item with what the row says put in; undefined when that changes nothing. The version never stays or
 * falls when anything changes, whatever the file says: every change of an item is guarded by it. Where the file gives no
 * `updated_at`, that never runs backwards: an import that goes on has the moment at which it began.
 */
export const replacement = (stored: ContentItem, given: ImportedItem, now: string): ContentItem | undefined => {
  const changes = FIELDS.some((field) => given[field] !== undefined && given[field] !== stored[field]);
  const version = given.version ?? 0;
  if (!changes && version <= stored.version) return undefined;
  return {
    ...stored,
    ...given,
    id: stored.id,
    updated_at: given.updated_at ?? latest(now, stored.updated_at, given.created_at ?? ''),
    version: Math.max(version, stored.version + 1),
  };
};
