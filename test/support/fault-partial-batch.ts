/** Batches of which DynamoDB does only a part, as when a partition is busy or a response exceeds 16 MB. */
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

export interface EngineResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Entries = readonly unknown[];
type Tables = Readonly<Record<string, unknown>>;

/** How a batch operation names its entries. Options of a read, such as a projection, come back as they were sent. */
const SHAPES = {
  BatchGetItem: {
    entriesOf: (request: unknown) => (request as { Keys: Entries }).Keys,
    withEntries: (request: unknown, Keys: Entries): unknown => ({ ...(request as Tables), Keys }),
    unprocessed: 'UnprocessedKeys',
  },
  BatchWriteItem: {
    entriesOf: (request: unknown) => request as Entries,
    withEntries: (_: unknown, entries: Entries): unknown => entries,
    unprocessed: 'UnprocessedItems',
  },
};

/** The first half of a batch, rounded up, and how its response reports the rest; undefined where nothing can be left. */
export const partialBatch = (operation: string, body: Buffer) => {
  if (operation !== 'BatchGetItem' && operation !== 'BatchWriteItem') return undefined;
  const { entriesOf, withEntries, unprocessed } = SHAPES[operation];
  const request = JSON.parse(String(body)) as { readonly RequestItems: Tables };
  const all = Object.entries(request.RequestItems).flatMap(([table, part]) =>
    entriesOf(part).map((entry) => ({ table, entry })),
  );
  const half = Math.ceil(all.length / 2);
  if (half === all.length) return undefined;
  const byTable = (part: typeof all): Tables =>
    Object.fromEntries(
      [...Map.groupBy(part, ({ table }) => table)].map(([table, group]) => {
        const entries = group.map(({ entry }) => entry);
        return [table, withEntries(request.RequestItems[table], entries)];
      }),
    );
  const rest = all.slice(half);
  return {
    body: Buffer.from(JSON.stringify({ ...request, RequestItems: byTable(all.slice(0, half)) })),
    respond: ({ status, headers, body: given }: EngineResponse): EngineResponse => {
      const response = JSON.parse(String(given)) as Readonly<Record<string, Tables | undefined>>;
      const left = Object.entries(response[unprocessed] ?? {}).flatMap(([table, part]) =>
        entriesOf(part).map((entry) => ({ table, entry })),
      );
      const changed = Buffer.from(JSON.stringify({ ...response, [unprocessed]: byTable([...left, ...rest]) }));
      const framing = { 'content-length': String(changed.length), 'x-amz-crc32': String(crc32(changed)) };
      return { status, headers: { ...headers, ...framing }, body: changed };
    },
  };
};
