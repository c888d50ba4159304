/** Ten concurrent BatchGetItem requests for the keys of a bulk request, through the document client, and nothing else. */
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { database } from '../../functions/dynamodb/database.ts';
import { tableNamesFromEnvironment } from '../../functions/runtime/environment.ts';

const MAX_KEYS = 100;

const { vehicles } = tableNamesFromEnvironment(['vehicles']);

export const handler = async ({ body }: { readonly body: string }) => {
  const { registrations } = JSON.parse(body) as { registrations: string[] };
  const responses = await Promise.all(
    Array.from({ length: Math.ceil(registrations.length / MAX_KEYS) }, (_, index) => {
      const chunk = registrations.slice(index * MAX_KEYS, (index + 1) * MAX_KEYS);
      const Keys = chunk.map((registration) => ({ registration }));
      return database().send(new BatchGetCommand({ RequestItems: { [vehicles]: { Keys } } }));
    }),
  );
  const found = responses.flatMap(({ Responses = {} }) => Responses[vehicles] ?? []);
  return { statusCode: found.length === registrations.length ? 200 : 404 };
};
