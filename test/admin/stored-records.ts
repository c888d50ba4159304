import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { TestEngine } from '../support/engine.ts';

/** Every item of a table, by registration. */
export const storedRecords = async (
  { client, names }: TestEngine,
  table: 'vehicles' | 'compliance',
): Promise<Record<string, unknown>[]> => {
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName: names[table], ConsistentRead: true }));
  const items = pages.flatMap(({ Items = [] }) => Items);
  return items.toSorted((a, b) => (String(a.registration) < String(b.registration) ? -1 : 1));
};
