/** Bytes of a map or list itself, and of each element (DynamoDB Developer Guide, "Item sizes and formats"). */
const COLLECTION_BYTES = 3;
const ELEMENT_BYTES = 1;
/** Two digits a byte, and one byte more. */
const numberBytes = (value: number): number => Math.ceil(String(value).length / 2) + 1;

const valueBytes = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + ELEMENT_BYTES + valueBytes(one), COLLECTION_BYTES);
  if (typeof value === 'object' && value !== null) {
    return COLLECTION_BYTES + Object.keys(value).length * ELEMENT_BYTES + itemBytes(value);
  }
  return ELEMENT_BYTES;
};

/** The size of an item as DynamoDB reckons it, without the 100 bytes that storing it adds. */
export const itemBytes = (item: object): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
