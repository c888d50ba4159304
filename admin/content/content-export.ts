import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { contentKeys, parseItem } from '../../core/content/content-store.ts';
import type { ContentItem } from '../../core/content/item.ts';

/** Every item of live keys, in no order: an import makes the lists by `created_at`. @throws UnreadableRecord */
export async function* exportedItems(client: DynamoDBDocumentClient, table: string): AsyncGenerator<ContentItem> {
  const { pk, sk } = contentKeys('live').itemKey('');
  const query = {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: 'begins_with(pk, :pk) AND sk = :sk',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  };
  for await (const { Items = [] } of paginateScan({ client }, query)) yield* Items.map(parseItem);
}
