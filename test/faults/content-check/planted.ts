/** Inconsistencies that are planted in stored content, each with what a check is to call it. */
import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ALL_ITEMS, domainList, slugKey } from '../../../functions/content/content-entries.ts';
import type { StoredItem } from '../../../functions/content/item.ts';
import { countedLists } from '../../../functions/counted-list/counted-list.ts';
import { allocatorKey, bucketOf, counterKey, memberKey } from '../../../functions/counted-list/entries.ts';
import type { Item } from '../../../functions/dynamodb/database.ts';
import type { Inconsistency } from '../../../lib/content-maintenance/content-inconsistencies.ts';
import type { TestEngine } from '../../support/engine.ts';

/** An inconsistency in a line, without the figures of a counter: those move with the traffic. */
export const nameOf = (found: Inconsistency): string => {
  switch (found.kind) {
    case 'missing member':
    case 'orphaned member':
      return `${found.kind} ${found.list} ${found.position} ${found.id}`;
    case 'missing slug claim':
    case 'orphaned slug claim':
      return `${found.kind} ${found.domain} ${found.slug} ${found.id}`;
    case 'miscounted bucket':
      return `${found.kind} ${found.list} ${found.bucket}`;
    case 'allocator behind':
      return `${found.kind} ${found.list}`;
  }
};

/** Of items that nobody else changes, one that a plant may be about, and the list in which it is about it. */
export interface Target {
  readonly stored: StoredItem;
  readonly isInAll: boolean;
  /** A list in which nobody joins. */
  readonly quietList: string;
}

/** Plants one inconsistency and resolves to the names of what a check must find. */
export type Plant = (engine: TestEngine, target: Target) => Promise<string[]>;

const deleteEntry = ({ client, names }: TestEngine, key: Item) =>
  client.send(new DeleteCommand({ TableName: names.content, Key: key }));
const putEntry = ({ client, names }: TestEngine, item: Item) =>
  client.send(new PutCommand({ TableName: names.content, Item: item }));

const placeOf = ({ stored, isInAll }: Target) =>
  isInAll
    ? { list: ALL_ITEMS, position: stored.positions.all }
    : { list: domainList(stored.item.domain), position: stored.positions.domain };

const miscounted = (list: string, position: number): string => `miscounted bucket ${list} ${bucketOf(position)}`;

const missingMember: Plant = async (engine, target) => {
  const { list, position } = placeOf(target);
  await deleteEntry(engine, memberKey(list, position));
  return [`missing member ${list} ${position} ${target.stored.item.id}`, miscounted(list, position)];
};

/** A member at the newest position, where the traffic is. */
const orphanedMember: Plant = async (engine, target) => {
  const { list } = placeOf(target);
  const position = await countedLists(engine.client, engine.names.content).allocate(list);
  const id = position % 2 === 0 ? target.stored.item.id : randomUUID();
  await putEntry(engine, { ...memberKey(list, position), member: id });
  return [`orphaned member ${list} ${position} ${id}`, miscounted(list, position)];
};

const missingSlugClaim: Plant = async (engine, { stored: { item } }) => {
  await deleteEntry(engine, slugKey(item.domain, item.slug));
  return [`missing slug claim ${item.domain} ${item.slug} ${item.id}`];
};

const orphanedSlugClaim: Plant = async (engine, { stored: { item } }) => {
  const slug = `free-${randomUUID()}`;
  await putEntry(engine, { ...slugKey(item.domain, slug), id: item.id });
  return [`orphaned slug claim ${item.domain} ${slug} ${item.id}`];
};

/** The counter of the newest bucket, where the traffic is, or of the item's own. */
const wrongCounter: Plant = async (engine, target) => {
  const { list, position: own } = placeOf(target);
  const newest = await countedLists(engine.client, engine.names.content).allocate(list);
  const position = newest % 2 === 0 ? own : newest;
  await engine.client.send(
    new UpdateCommand({
      TableName: engine.names.content,
      Key: counterKey(list, bucketOf(position)),
      UpdateExpression: 'ADD members :some',
      ExpressionAttributeValues: { ':some': (newest % 3) + 1 },
    }),
  );
  return [miscounted(list, position)];
};

const allocatorBehind: Plant = async (engine, { quietList }) => {
  await deleteEntry(engine, allocatorKey(quietList));
  return [`allocator behind ${quietList}`];
};

export const PLANTS: readonly Plant[] = [
  missingMember,
  orphanedMember,
  missingSlugClaim,
  orphanedSlugClaim,
  wrongCounter,
  wrongCounter,
  allocatorBehind,
];
