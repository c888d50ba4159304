import { createHash } from 'node:crypto';
import type { ContentFields } from './item.ts';

/** How long a creation can be repeated safely, in seconds (contract.md "Content"). */
export const REMEMBERED_SECONDS = 24 * 60 * 60;

/** A creation that its caller may repeat: the caller's key id and its Idempotency-Key. */
export interface Repeatable {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** What is remembered of a creation: enough to give the same answer again, since the same body comes with the retry. */
export interface RememberedCreation {
  readonly bodyHash: string;
  readonly id: string;
  readonly createdAt: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same for the same validated body, whatever the order of its fields. */
export const hashBody = ({ title, content, domain, slug, meta_description }: ContentFields): string =>
  sha256(JSON.stringify([title, content, domain, slug, meta_description]));

/** Bound to the caller's key, so that two callers' keys never meet; hashed, since callers put what they like in it. */
export const repeatableId = ({ keyId, idempotencyKey }: Repeatable): string =>
  `idempotency#${keyId}#${sha256(idempotencyKey)}`;
