/** Creations that their callers may repeat: the entry that remembers one (docs/contract.md#content). */
import { createHash } from 'node:crypto';
import type { TransactWrite } from '../dynamodb/transact.ts';
import { parseStored, type RecordOf } from '../schemas/record.ts';
import type { Entry } from './content-entries.ts';
import type { ContentStore } from './content-store.ts';
import type { ContentFields, ContentItem } from './item.ts';

/** How long a creation is remembered, in seconds. */
const REMEMBERED_SECONDS = 24 * 60 * 60;

/** A creation that its caller may repeat: the caller's key id and its Idempotency-Key. */
export interface Repeatable {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

const text = { type: 'string' } as const;

/** What is remembered of a creation. The repeated request brings the fields again. */
const RememberedCreation = {
  type: 'object',
  required: ['bodyHash', 'id', 'createdAt'],
  properties: { bodyHash: text, id: text, createdAt: text },
} as const;

export type RememberedCreation = RecordOf<typeof RememberedCreation>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same for the same validated body, whatever the order of its fields. */
export const hashBody = ({ title, content, domain, slug, meta_description }: ContentFields): string =>
  sha256(JSON.stringify([title, content, domain, slug, meta_description]));

/** @throws UnreadableRecord */
export const parseCreation = (entry: Entry): RememberedCreation => parseStored(RememberedCreation, entry);

/** Fails, and returns the stored entry, when the same creation is still remembered. */
export const rememberCreation = (
  { table, keys }: Pick<ContentStore, 'table' | 'keys'>,
  { keyId, idempotencyKey }: Repeatable,
  item: ContentItem,
): TransactWrite => {
  const now = Math.floor(Date.parse(item.created_at) / 1_000);
  return {
    Put: {
      TableName: table,
      Item: {
        // Hashed: an Idempotency-Key may hold any text.
        ...keys.creationKey(keyId, sha256(idempotencyKey)),
        bodyHash: hashBody(item),
        id: item.id,
        createdAt: item.created_at,
        expiresAt: now + REMEMBERED_SECONDS,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': now },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
};
