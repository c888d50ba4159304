import { type ContentItem, etagOf } from './item.ts';
import { PreconditionFailed } from './refusals.ts';

/**
 * Holds a change back unless the item is a version that `If-Match` names: `*`, or a list of entity tags compared
 * strongly (RFC 9110 section 13.1.1). Without the header everything matches.
 * @throws PreconditionFailed
 */
export const requireMatch = (ifMatch: string | undefined, item: ContentItem): void => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((tag) => tag.trim());
  if (!named.includes(etagOf(item))) throw new PreconditionFailed(item.version);
};
