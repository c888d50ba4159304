/** The peer: ten BatchGetItem calls at once for the keys of a bulk request, as the SDK gives them back, and nothing else. */
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { database } from '../../functions/dynamodb/database.ts';
import { tableNamesFromEnvironment } from '../../functions/runtime/environment.ts';

const MAX_KEYS = 100;

const { vehicles } = tableNamesFromEnvironment(['vehicles']);

export const handler = async ({ body }: { readonly body: string }) => {
  const { registrations } = JSON.parse(body) as { registrations: string[] };
  const answers = await Promise.all(
    Array.from({ length: Math.ceil(registrations.length / MAX_KEYS) }, (_, index) => {
      const Keys = registrations
        .slice(index * MAX_KEYS, (index + 1) * MAX_KEYS)
        .map((registration) => ({ registration: { S: registration } }));
      return database().send(new BatchGetItemCommand({ RequestItems: { [vehicles]: { Keys } } }));
    }),
  );
  const found = answers.flatMap(({ Responses = {} }) => Responses[vehicles] ?? []);
  return { statusCode: found.length === registrations.length ? 200 : 404 };
};
