import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { RecordedCall } from '../../support/fault-proxy.ts';

type Item = Record<string, AttributeValue>;

interface Body {
  readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest?: { readonly Item: Item } }[]>>;
  readonly TransactItems?: readonly { readonly Put?: { readonly Item: Item } }[];
}

const textOf = (value: AttributeValue | undefined): string => value?.S ?? '';

/** An item of content is known by its domain and slug here: a new one has an id that nobody knows before. */
const contentName = (item: Item): string[] =>
  textOf(item.sk) === 'item' ? [`${textOf(item.domain)} ${textOf(item.slug)}`] : [];

/** Of a batch that is done in part the first half is done; a request that is slow is done, and what fails is not. */
const doneOf = <T>(fault: RecordedCall['fault'], requests: readonly T[]): readonly T[] => {
  if (fault === 'partial') return requests.slice(0, Math.ceil(requests.length / 2));
  return fault === undefined || typeof fault === 'object' ? requests : [];
};

/** The records that a database call puts, by name. */
export const recordsWritten = ({ operation, body, fault }: RecordedCall): string[] => {
  if (operation !== 'BatchWriteItem' && operation !== 'TransactWriteItems') return [];
  const { RequestItems = {}, TransactItems = [] } = JSON.parse(body) as Body;
  const batch = doneOf(fault, Object.values(RequestItems).flat()).flatMap(({ PutRequest }) => PutRequest ?? []);
  const transaction = fault === 'throttle' || fault === 'resetBefore' ? [] : TransactItems;
  return [
    ...batch.map(({ Item }) => textOf(Item.registration)),
    ...transaction.flatMap(({ Put }) => (Put ? contentName(Put.Item) : [])),
  ];
};
