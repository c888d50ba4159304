/** Batches of which DynamoDB does only a part, as when a partition is busy or a response exceeds 16 MB. */
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

export interface EngineResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Entries = readonly unknown[];
/** The entries of a table: writes are a list; reads have it beside options, which come back as they were sent. */
type Part = Entries | { readonly Keys: Entries };

const UNPROCESSED: Readonly<Record<string, string>> = {
  BatchGetItem: 'UnprocessedKeys',
  BatchWriteItem: 'UnprocessedItems',
};

/** The first half of a batch, rounded up, and how its response reports the rest; undefined where nothing can be left. */
export const partialBatch = (operation: string, body: Buffer) => {
  const unprocessed = UNPROCESSED[operation];
  if (unprocessed === undefined) return undefined;
  const request = JSON.parse(String(body)) as { readonly RequestItems: Readonly<Record<string, Part>> };
  const all = Object.entries(request.RequestItems).flatMap(([table, part]) =>
    ('Keys' in part ? part.Keys : part).map((entry) => ({ table, part, entry })),
  );
  const half = Math.ceil(all.length / 2);
  if (half === all.length) return undefined;
  const byTable = (some: typeof all): Record<string, Part> => {
    const parts: Record<string, Part> = {};
    for (const { table, part } of some) {
      const entries = some.filter((one) => one.table === table).map(({ entry }) => entry);
      parts[table] = 'Keys' in part ? { ...part, Keys: entries } : entries;
    }
    return parts;
  };
  return {
    body: Buffer.from(JSON.stringify({ ...request, RequestItems: byTable(all.slice(0, half)) })),
    respond: ({ status, headers, body: given }: EngineResponse): EngineResponse => {
      const response = { ...JSON.parse(String(given)), [unprocessed]: byTable(all.slice(half)) };
      const changed = Buffer.from(JSON.stringify(response));
      const framing = { 'content-length': String(changed.length), 'x-amz-crc32': String(crc32(changed)) };
      return { status, headers: { ...headers, ...framing }, body: changed };
    },
  };
};
