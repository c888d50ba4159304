/** The keys of the DynamoDB items of content, and the reads of stored content. */
import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../access/api-key.ts';
import { batchGet } from '../aws/batch-get.ts';
import type { DynamoItem } from '../aws/database.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseStored } from '../schemas/record-schema.ts';
import { contentLists } from './content-lists.ts';
import { ContentItem, isContentId } from './item.ts';

/**
 * The prefix of every partition key, which keeps live, test and probe content apart (docs/contract.md#sandbox). No
 * partition key of live content begins with `test#` or `probe#`: each begins with the name of its kind of item.
 */
const CONTENT_PREFIX: Readonly<Record<KeyKind, string>> = { live: '', test: 'test#', probe: 'probe#' };

/** A creation that its caller may repeat: the caller's key id and its Idempotency-Key. */
export interface IdempotentCreation {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The primary keys of items, slugs and repeatable creations, for the content of one kind of API key. */
export const contentKeys = (kind: KeyKind) => {
  const prefix = CONTENT_PREFIX[kind];
  return {
    itemKey: (id: string): DynamoItem => ({ pk: `${prefix}item#${id}`, sk: 'item' }),
    slugKey: (domain: string, slug: string): DynamoItem => ({ pk: `${prefix}slug#${domain}#${slug}`, sk: 'slug' }),
    /**
     * Contains the key id, so that callers share no records, and a hash of the Idempotency-Key, which may be any text.
     */
    idempotencyRecordKey: ({ keyId, idempotencyKey }: IdempotentCreation): DynamoItem => ({
      pk: `${prefix}idempotency#${keyId}#${sha256(idempotencyKey)}`,
      sk: 'creation',
    }),
  };
};

/** @throws UnreadableRecord */
export const parseItem = (stored: DynamoItem): ContentItem => parseStored(ContentItem, stored, `content ${stored.pk}`);

export const claimantOf = ({ id }: DynamoItem): string | undefined => (typeof id === 'string' ? id : undefined);

/**
 * The content that one kind of API key sees. Every read and write of content takes its keys and lists from here, which
 * keeps the kinds apart.
 */
export const contentStore = (db: DynamoDBDocumentClient, table: string, kind: KeyKind) => {
  const keys = contentKeys(kind);

  /** @throws the error of a failed read: unread items must not count as missing */
  const readItems = async (wanted: readonly DynamoItem[], deadline: Deadline): Promise<readonly DynamoItem[]> => {
    const { items, failure } = await batchGet(db, [{ table, consistent: true }], wanted, deadline);
    if (failure !== undefined) throw failure;
    return items.get(table) ?? [];
  };

  return {
    db,
    table,
    keys,
    lists: contentLists(db, table, CONTENT_PREFIX[kind]),
    readItems,

    /** Undefined when no item has the id. @throws UnreadableRecord */
    find: async (id: string): Promise<ContentItem | undefined> => {
      if (!isContentId(id)) return undefined;
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: keys.itemKey(id), ConsistentRead: true }));
      return Item && parseItem(Item);
    },

    /** The items that exist, in the order of the ids. @throws the error of a failed read */
    findMany: async (ids: readonly string[], deadline: Deadline): Promise<ContentItem[]> => {
      const found = await readItems(ids.map(keys.itemKey), deadline);
      const byId = new Map(found.map(parseItem).map((item) => [item.id, item]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
  };
};

export type ContentStore = ReturnType<typeof contentStore>;
