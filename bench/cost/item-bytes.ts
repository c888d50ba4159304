import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Bytes of a map or list itself, and of each element (DynamoDB Developer Guide, "Item sizes and formats"). */
const COLLECTION_BYTES = 3;
const ELEMENT_BYTES = 1;
/** Two digits a byte, and one byte more. */
const numberBytes = (digits: string): number => Math.ceil(digits.length / 2) + 1;

const valueBytes = ({ S, N, L, M }: AttributeValue): number => {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return numberBytes(N);
  if (L) return COLLECTION_BYTES + L.reduce((sum, value) => sum + ELEMENT_BYTES + valueBytes(value), 0);
  if (M) return COLLECTION_BYTES + Object.keys(M).length * ELEMENT_BYTES + itemBytes(M);
  return ELEMENT_BYTES;
};

/** The size of an item as DynamoDB reckons it, without the 100 bytes that storing it adds. */
export const itemBytes = (item: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
