import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { counterPartition, memberPartition } from '../../functions/counted-list/entries.ts';

const query = (table: string, partition: string) => ({
  TableName: table,
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': partition },
  ConsistentRead: true,
});

/**
 * Every member of a list, oldest first, one query result at a time. Members that are added or removed meanwhile may be
 * missing.
 */
export async function* walkList(db: DynamoDBDocumentClient, table: string, list: string): AsyncGenerator<string[]> {
  for await (const { Items: counters = [] } of paginateQuery({ client: db }, query(table, counterPartition(list)))) {
    for (const { sk } of counters) {
      const partition = memberPartition(list, Number(sk));
      for await (const { Items: members = [] } of paginateQuery({ client: db }, query(table, partition))) {
        yield members.map(({ member }) => String(member));
      }
    }
  }
}
