import type { ContentItem } from './schemas.ts';

export type { ContentFields, ContentItem } from './schemas.ts';

/** An item and its positions in the two lists that it belongs to. */
export interface StoredItem {
  readonly item: ContentItem;
  readonly positions: { readonly all: number; readonly domain: number };
}

/** The latest of timestamps in the same notation. */
export const latest = (...timestamps: readonly string[]): string =>
  timestamps.reduce((last, one) => (one > last ? one : last));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether an id has the form of this service's ids; any other matches nothing. */
export const isContentId = (id: string): boolean => UUID.test(id);

/** The entity tag of a version (RFC 9110). */
export const etagOf = ({ version }: Pick<ContentItem, 'version'>): string => `"${version}"`;
