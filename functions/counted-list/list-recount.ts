/**
 * Counted lists held against themselves, for an operator: do counters equal members, has the head passed every position?
 * Safe beside traffic: what looks wrong is read again before it is called wrong, and mended only if it still is so.
 */
import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { onlyIfUnchanged } from '../runtime/conditional-write.ts';
import { counterKey, headKey, memberKey, memberPartition } from './entries.ts';

/** A bucket whose counter and members differ. */
export interface Miscount {
  readonly list: string;
  readonly bucket: number;
  readonly counter: number;
  readonly members: number;
}

/** How often a bucket is read while others keep changing it. */
const MAX_READS = 20;

export const listRecount = (db: DynamoDBClient, table: string) => {
  const readCounter = async (list: string, bucket: number): Promise<number | undefined> => {
    const Key = counterKey(list, bucket);
    const { Item } = await db.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }));
    return Item === undefined ? undefined : Number(Item.members?.N);
  };

  const countMembers = async (list: string, bucket: number): Promise<number> => {
    const query = {
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: memberPartition(list, bucket) } },
      ConsistentRead: true,
      Select: 'COUNT' as const,
    };
    let members = 0;
    for await (const { Count = 0 } of paginateQuery({ client: db }, query)) members += Count;
    return members;
  };

  return {
    /** The bucket's miscount, or undefined when it is right. A counter that moved during the count is counted again. */
    recount: async (list: string, bucket: number): Promise<Miscount | undefined> => {
      for (let read = 0; read < MAX_READS; read += 1) {
        const before = await readCounter(list, bucket);
        const members = await countMembers(list, bucket);
        const counter = await readCounter(list, bucket);
        if (before === counter)
          return (counter ?? 0) === members ? undefined : { list, bucket, counter: counter ?? 0, members };
      }
      return undefined;
    },

    /** Sets a miscounted bucket's counter right, unless it has changed meanwhile. */
    mendCounter: ({ list, bucket, counter, members }: Miscount): Promise<boolean> =>
      onlyIfUnchanged(
        db.send(
          new UpdateItemCommand({
            TableName: table,
            Key: counterKey(list, bucket),
            UpdateExpression: 'SET members = :members',
            ConditionExpression: 'members = :counter OR (attribute_not_exists(members) AND :counter = :none)',
            ExpressionAttributeValues: {
              ':members': { N: String(members) },
              ':counter': { N: String(counter) },
              ':none': { N: '0' },
            },
          }),
        ),
      ),

    /** Puts a member where it should be; its bucket is to be recounted after. */
    restoreMember: (list: string, position: number, id: string): Promise<boolean> =>
      onlyIfUnchanged(
        db.send(
          new PutItemCommand({
            TableName: table,
            Item: { ...memberKey(list, position), member: { S: id } },
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        ),
      ),

    /** Takes a member away that should not be there; its bucket is to be recounted after. */
    dropMember: (list: string, position: number, id: string): Promise<boolean> =>
      onlyIfUnchanged(
        db.send(
          new DeleteItemCommand({
            TableName: table,
            Key: memberKey(list, position),
            ConditionExpression: '#member = :id',
            ExpressionAttributeNames: { '#member': 'member' },
            ExpressionAttributeValues: { ':id': { S: id } },
          }),
        ),
      ),

    /** Lets new members join behind every position in use. */
    raiseHead: (list: string, allocated: number): Promise<boolean> =>
      onlyIfUnchanged(
        db.send(
          new UpdateItemCommand({
            TableName: table,
            Key: headKey(list),
            UpdateExpression: 'SET allocated = :allocated',
            ConditionExpression: 'attribute_not_exists(allocated) OR allocated < :allocated',
            ExpressionAttributeValues: { ':allocated': { N: String(allocated) } },
          }),
        ),
      ),
  };
};
