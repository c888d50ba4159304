import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeyKind, PresentedKey } from '../../core/access/api-key.ts';
import { database } from '../../core/aws/database.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import type { HttpFunction } from './endpoint-definition.ts';
import type { HttpRequest } from './request.ts';
import { tableNamesOf } from './table-names.ts';

/**
 * Adds the data that a key of this kind sees, live or sandbox; sandbox vehicles are dated from today.
 * @param open opens the tables when the function starts
 */
export const dataset = <const Tables extends HttpFunction['tables'], Data extends object>(
  endpoint: { readonly tables: Tables },
  open: (
    db: DynamoDBDocumentClient,
    names: ReturnType<typeof tableNamesOf<Tables>>,
  ) => (request: { readonly kind: KeyKind; readonly today: LondonDate }) => Data,
) => {
  const dataFor = open(database(), tableNamesOf(endpoint));
  return {
    before: ({ context }: HttpRequest<{ key: PresentedKey } & Data>): void => {
      Object.assign(context, dataFor({ kind: context.key.kind, today: context.today }));
    },
  };
};
