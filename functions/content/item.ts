/** What a caller writes of a content item; `domain` in lower case. */
export interface ContentFields {
  readonly title: string;
  readonly content: string;
  readonly domain: string;
  readonly slug: string;
  readonly meta_description: string;
}

/** A content item as it is returned (contract.md "Content"). Timestamps are ISO 8601 UTC. */
export interface ContentItem extends ContentFields {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** From 1, raised by every update. */
  readonly version: number;
}

/** An item and its places in the two lists that it belongs to. */
export interface StoredItem {
  readonly item: ContentItem;
  readonly positions: { readonly all: number; readonly domain: number };
}

/** The latest of timestamps in the same notation. */
export const latest = (...timestamps: readonly string[]): string =>
  timestamps.reduce((last, one) => (one > last ? one : last));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether an id is of the form that this service gives; any other matches nothing. */
export const isContentId = (id: string): boolean => UUID.test(id);

/** The entity tag of a version (RFC 9110). */
export const etagOf = ({ version }: Pick<ContentItem, 'version'>): string => `"${version}"`;
