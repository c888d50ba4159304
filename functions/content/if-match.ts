import { type ContentItem, etagOf } from './item.ts';
import { PreconditionFailed } from './refusals.ts';

/** A strong entity tag (RFC 9110 section 8.8.3). */
const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * Holds a change back unless the item is a version that `If-Match` names: `*`, or a list of entity tags compared
 * strongly (RFC 9110 section 13.1.1). Without the header everything matches.
 * @throws PreconditionFailed
 */
export const requireMatch = (ifMatch: string | undefined, item: ContentItem): void => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((tag) => tag.trim());
  if (named.includes(etagOf(item))) return;
  throw new PreconditionFailed(
    item.version,
    named.every((tag) => STRONG_TAG.test(tag)),
  );
};
