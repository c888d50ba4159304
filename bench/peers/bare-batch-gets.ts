/**
 * Concurrent BatchGetItem requests of 100 keys through the document client, and nothing else: for bulk insurance the keys of the
 * vehicles, for bulk compliance those of their compliance records too.
 */
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { database } from '../../core/dynamodb/database.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';

const MAX_KEYS = 100;

const { vehicles, compliance } = tableNamesFromEnvironment(['vehicles', 'compliance']);

export const handler = async ({ rawPath, body }: { readonly rawPath: string; readonly body: string }) => {
  const { registrations } = JSON.parse(body) as { registrations: string[] };
  const tables = rawPath.endsWith('compliance') ? [vehicles, compliance] : [vehicles];
  const batches = tables.flatMap((table) =>
    Array.from({ length: Math.ceil(registrations.length / MAX_KEYS) }, (_, index) => {
      const chunk = registrations.slice(index * MAX_KEYS, (index + 1) * MAX_KEYS);
      return { table, Keys: chunk.map((registration) => ({ registration })) };
    }),
  );
  const found = await Promise.all(
    batches.map(async ({ table, Keys }) => {
      const { Responses } = await database().send(new BatchGetCommand({ RequestItems: { [table]: { Keys } } }));
      return Responses?.[table]?.length ?? 0;
    }),
  );
  const isComplete = found.reduce((sum, items) => sum + items, 0) === registrations.length * tables.length;
  return { statusCode: isComplete ? 200 : 404 };
};
