/** Inconsistencies that are planted in stored content, and the names of what a check must find then. */
import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ALL_ITEMS, contentKeys, domainList } from '../../../core/content/content-entries.ts';
import type { StoredItem } from '../../../core/content/item.ts';
import { countedLists } from '../../../core/counted-list/counted-list.ts';
import { bucketOf } from '../../../core/counted-list/entries.ts';
import type { Item } from '../../../core/dynamodb/database.ts';
import type { TestEngine } from '../../support/engine.ts';

const { allocatorKey, counterKey, memberKey, slugKey } = contentKeys('live');

/** The members that identify an inconsistency; the figures of a counter change with the traffic. */
export const nameOf = (found: Readonly<Record<string, unknown>>): string =>
  ['kind', 'list', 'bucket', 'domain', 'slug', 'position', 'id'].flatMap((name) => found[name] ?? []).join(' ');

/** Plants inconsistencies about an item that nobody else changes, in the list of all items or in that of its domain. */
export const planter = ({ client, names }: TestEngine, { item, positions }: StoredItem, isInAll: boolean) => {
  const TableName = names.content;
  const list = isInAll ? ALL_ITEMS : domainList(item.domain);
  const position = isInAll ? positions.all : positions.domain;
  const remove = (Key: Item) => client.send(new DeleteCommand({ TableName, Key }));
  const put = (Item: Item) => client.send(new PutCommand({ TableName, Item }));
  /** The newest position, where the traffic is. */
  const allocate = () => countedLists(client, TableName).allocate(list);
  const miscounted = (at: number) => nameOf({ kind: 'miscounted bucket', list, bucket: bucketOf(at) });

  const missingMember = async () => {
    await remove(memberKey(list, position));
    return [nameOf({ kind: 'missing member', list, position, id: item.id }), miscounted(position)];
  };
  const orphanedMember = async () => {
    const newest = await allocate();
    const id = newest % 2 === 0 ? item.id : randomUUID();
    await put({ ...memberKey(list, newest), member: id });
    return [nameOf({ kind: 'orphaned member', list, position: newest, id }), miscounted(newest)];
  };
  const missingSlugClaim = async () => {
    await remove(slugKey(item.domain, item.slug));
    return [nameOf({ kind: 'missing slug claim', ...item })];
  };
  const orphanedSlugClaim = async () => {
    const slug = `free-${randomUUID()}`;
    await put({ ...slugKey(item.domain, slug), id: item.id });
    return [nameOf({ kind: 'orphaned slug claim', ...item, slug })];
  };
  /** Of the newest bucket or of the item's own. */
  const wrongCounter = async () => {
    const newest = await allocate();
    const at = newest % 2 === 0 ? position : newest;
    const change = { ':change': (newest % 3) + 1 };
    const Key = counterKey(list, bucketOf(at));
    const UpdateExpression = 'ADD members :change';
    await client.send(new UpdateCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues: change }));
    return [miscounted(at)];
  };
  /** In a list that no item joins. */
  const allocatorBehind = async (quietList: string) => {
    await remove(allocatorKey(quietList));
    return [nameOf({ kind: 'allocator behind', list: quietList })];
  };
  return [
    ...[missingMember, orphanedMember, missingSlugClaim, orphanedSlugClaim],
    ...[wrongCounter, wrongCounter, allocatorBehind],
  ];
};
