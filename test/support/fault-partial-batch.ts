/** Batches of which DynamoDB does only a part, as it does when a partition is busy or an answer grows over 16 MB. */
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

type Entries = readonly unknown[];
type Items = Record<string, unknown>;

/** How a batch operation names its entries in a request, and those that it gives back in an answer. */
interface BatchShape {
  readonly entriesOf: (tableRequest: unknown) => Entries;
  readonly withEntries: (tableRequest: unknown, entries: Entries) => unknown;
  readonly unprocessed: 'UnprocessedKeys' | 'UnprocessedItems';
}

const SHAPES: Readonly<Record<string, BatchShape>> = {
  BatchGetItem: {
    entriesOf: (request) => (request as { Keys: Entries }).Keys,
    // `ConsistentRead`, projections and names come back as they were sent.
    withEntries: (request, Keys) => ({ ...(request as Items), Keys }),
    unprocessed: 'UnprocessedKeys',
  },
  BatchWriteItem: {
    entriesOf: (request) => request as Entries,
    withEntries: (_, entries) => entries,
    unprocessed: 'UnprocessedItems',
  },
};

/** An engine's answer as it came over HTTP. */
export interface EngineAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A batch cut in two: what goes to the engine, and how its answer tells of the rest. */
export interface PartialBatch {
  readonly body: Buffer;
  readonly answer: (toHalf: EngineAnswer) => EngineAnswer;
}

const merged = (shape: BatchShape, one: Items, other: Items): Items => {
  const tables = new Set([...Object.keys(one), ...Object.keys(other)]);
  const entries = (request: unknown) => (request === undefined ? [] : shape.entriesOf(request));
  return Object.fromEntries(
    [...tables].map((table) => {
      const both = [...entries(one[table]), ...entries(other[table])];
      return [table, shape.withEntries(one[table] ?? other[table], both)];
    }),
  );
};

/**
 * The first half of a batch, rounded up: DynamoDB always does something, else it throttles. Undefined for other
 * operations and for a batch of one.
 */
export const partialBatch = (operation: string, body: Buffer): PartialBatch | undefined => {
  const shape = SHAPES[operation];
  if (shape === undefined) return undefined;
  const request = JSON.parse(String(body)) as { readonly RequestItems: Items };
  const entries = Object.entries(request.RequestItems).flatMap(([table, tableRequest]) =>
    shape.entriesOf(tableRequest).map((entry) => ({ table, entry })),
  );
  const half = Math.ceil(entries.length / 2);
  if (half === entries.length) return undefined;
  const itemsOf = (part: typeof entries): Items =>
    Object.fromEntries(
      Object.entries(Object.groupBy(part, ({ table }) => table)).map(([table, group = []]) => [
        table,
        shape.withEntries(
          request.RequestItems[table],
          group.map(({ entry }) => entry),
        ),
      ]),
    );
  const rest = itemsOf(entries.slice(half));
  return {
    body: Buffer.from(JSON.stringify({ ...request, RequestItems: itemsOf(entries.slice(0, half)) })),
    answer: (toHalf) => {
      const told = JSON.parse(String(toHalf.body)) as Items;
      const unprocessed = merged(shape, (told[shape.unprocessed] ?? {}) as Items, rest);
      const body = Buffer.from(JSON.stringify({ ...told, [shape.unprocessed]: unprocessed }));
      const framing = { 'content-length': String(body.length), 'x-amz-crc32': String(crc32(body)) };
      return { ...toHalf, headers: { ...toHalf.headers, ...framing }, body };
    },
  };
};
