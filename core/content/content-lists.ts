/**
 * The lists of content: all items, and the items of each domain.
 *
 * - A list is a partition. It has a **member** for each item, whose sort key is the item's creation time and id. So a
 *   list is in the order of creation, and an item keeps its place, whatever is added or removed meanwhile.
 * - The total of a list is the sum of its 32 **counters**. The id of an item decides which counter counts it. So few
 *   concurrent changes use the same counter: DynamoDB cancels a transaction that conflicts with another on an item.
 *
 * Members and counters change in the transaction of their item (content-writes.ts).
 */
import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { DynamoItem } from '../aws/database.ts';
import type { TransactWrite } from '../aws/transact.ts';
import { validationFailed } from '../problems.ts';
import type { ContentItem } from './item.ts';
import type { PageRequest } from './page.ts';

export const ALL_ITEMS = 'all';
/** The list of one domain's items; the domain in lower case. */
export const domainList = (domain: string): string => `domain:${domain}`;

type ListedItem = Pick<ContentItem, 'id' | 'domain' | 'created_at'>;

/** The most items that a page can skip. DynamoDB reads the members of skipped items too, about 100 bytes each. */
export const MAX_OFFSET = 10_000;

/** Number of counters of a list. One read unit reads all of them, unless the name of the domain is very long. */
const COUNTERS = 32;

/** The counter of a member, from the last two digits of its item's id. They are random in a UUID of any version. */
const counterOf = (sortKey: string): string => String(Number.parseInt(sortKey.slice(-2), 16) % COUNTERS);

/** The lists of an item, each with the sort key of its member. */
const sortKeysOf = (item: ListedItem | undefined): ReadonlyMap<string, string> => {
  if (item === undefined) return new Map();
  const sortKey = `${item.created_at} ${item.id}`;
  return new Map([ALL_ITEMS, domainList(item.domain)].map((list) => [list, sortKey]));
};

const SORT_KEY = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [0-9a-f-]{36}$/;

const itemIdOf = (sortKey: string): string => sortKey.slice(sortKey.indexOf(' ') + 1);

/** The text that names a place in a list: its sort key, and a digest that binds it to the list. */
const cursorOf = (partition: string, sortKey: string): string => {
  const digest = createHash('sha256').update(`${partition} ${sortKey}`).digest('base64url');
  return Buffer.from(`${sortKey} ${digest.slice(0, 16)}`).toString('base64url');
};

/** The sort key in a text of `cursorOf`; undefined for a text of another form. */
const sortKeyIn = (cursor: string): string | undefined => {
  const [time, id] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const sortKey = `${time} ${id}`;
  return SORT_KEY.test(sortKey) ? sortKey : undefined;
};

/** Whether a text has the form of an `after`. Whether it is of the right list is checked when the page is read. */
export const isCursor = (text: string): boolean => sortKeyIn(text) !== undefined;

export const WRONG_AFTER = 'must be `next` of an earlier page of the same list';

const sortKeyOf = (partition: string, cursor: string): string => {
  const sortKey = sortKeyIn(cursor);
  if (sortKey !== undefined && cursorOf(partition, sortKey) === cursor) return sortKey;
  throw validationFailed([{ parameter: 'after', detail: WRONG_AFTER }]);
};

/** The lists whose partition keys begin with this prefix. List names contain no `#`. */
export const contentLists = (db: DynamoDBDocumentClient, table: string, prefix: string) => {
  const memberPartition = (list: string): string => `${prefix}list#${list}`;
  const counterPartition = (list: string): string => `${prefix}counters#${list}`;

  const query = (partition: string, more: Partial<QueryCommandInput> = {}) =>
    db.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': partition },
        ConsistentRead: true,
        ...more,
      }),
    );

  /** Reads sort keys, newest first, in several queries if necessary: DynamoDB returns at most a megabyte at a time. */
  const readMembers = async (partition: string, after: string | undefined, count: number): Promise<string[]> => {
    const sortKeys: string[] = [];
    let start: DynamoItem | undefined = after === undefined ? undefined : { pk: partition, sk: after };
    do {
      const { Items = [], LastEvaluatedKey } = await query(partition, {
        ScanIndexForward: false,
        Limit: count - sortKeys.length,
        ExclusiveStartKey: start,
      });
      sortKeys.push(...Items.map(({ sk }) => String(sk)));
      start = LastEvaluatedKey;
    } while (start !== undefined && sortKeys.length < count);
    return sortKeys;
  };

  const readTotal = async (list: string): Promise<number> => {
    const { Items = [] } = await query(counterPartition(list));
    return Items.reduce((sum, { members }) => sum + Number(members), 0);
  };

  const deleteMember = (list: string, sk: string): TransactWrite => ({
    Delete: { TableName: table, Key: { pk: memberPartition(list), sk }, ConditionExpression: 'attribute_exists(pk)' },
  });

  const putMember = (list: string, sk: string): TransactWrite => ({
    Put: { TableName: table, Item: { pk: memberPartition(list), sk }, ConditionExpression: 'attribute_not_exists(pk)' },
  });

  const addToCounter = (list: string, sortKey: string, change: number): TransactWrite => ({
    Update: {
      TableName: table,
      Key: { pk: counterPartition(list), sk: counterOf(sortKey) },
      UpdateExpression: 'ADD members :change',
      ExpressionAttributeValues: { ':change': change },
    },
  });

  /** The writes on a list that had one member of an item and is to have another; undefined for none. */
  const changeMember = (list: string, old: string | undefined, present: string | undefined): TransactWrite[] => {
    if (old !== undefined && present !== undefined) {
      return old === present ? [] : [deleteMember(list, old), putMember(list, present)];
    }
    if (old !== undefined) return [deleteMember(list, old), addToCounter(list, old, -1)];
    return present === undefined ? [] : [putMember(list, present), addToCounter(list, present, 1)];
  };

  return {
    /**
     * The writes of a change on the lists: the item leaves the lists of `before`, and joins those of `after`, of which
     * one is undefined for an item that is created or removed. A counter changes where the item does not stay in the
     * list.
     */
    changes: (before: ListedItem | undefined, after: ListedItem | undefined): TransactWrite[] => {
      const [old, present] = [sortKeysOf(before), sortKeysOf(after)];
      const lists = new Set([...old.keys(), ...present.keys()]);
      return [...lists].flatMap((list) => changeMember(list, old.get(list), present.get(list)));
    },

    /**
     * Strongly consistent. No member is on a page twice. `total` is exact for a list that nobody changes, otherwise at
     * least what was read. Costs a read unit for the counters, and one for about 40 members, skipped ones included.
     * @returns ids, newest first; `next` is the `after` of the next page, and null on the last page
     * @throws VALIDATION_FAILED for an `after` of another list
     */
    page: async (list: string, { offset, limit, after }: PageRequest) => {
      const partition = memberPartition(list);
      const start = after === undefined ? undefined : sortKeyOf(partition, after);
      // One member more shows whether there is a next page.
      const reading = readMembers(partition, start, offset + limit + 1);
      const [sortKeys, counted] = await Promise.all([reading, readTotal(list)]);
      const shown = sortKeys.slice(offset, offset + limit);
      const last = shown.at(-1);
      const hasNext = sortKeys.length > offset + limit;
      return {
        // An import can change the creation time of an item between two requests, so that it is read twice.
        ids: [...new Set(shown.map(itemIdOf))],
        total: Math.max(counted, sortKeys.length),
        next: hasNext && last !== undefined ? cursorOf(partition, last) : null,
      };
    },
  };
};
