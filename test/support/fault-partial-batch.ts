/** Batches of reads that DynamoDB answers only in part, as when a partition is busy or a response exceeds 16 MB. */
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

export interface EngineResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What is read of a table; its options come back as they were sent. */
interface Part {
  readonly Keys: readonly unknown[];
}

/** The first half of a batch, rounded up, and how the response reports the rest; undefined if no rest is possible. */
export const partialBatch = (operation: string, body: Buffer) => {
  if (operation !== 'BatchGetItem') return undefined;
  const request = JSON.parse(String(body)) as { readonly RequestItems: Readonly<Record<string, Part>> };
  const all = Object.entries(request.RequestItems).flatMap(([table, part]) =>
    part.Keys.map((key) => ({ table, part, key })),
  );
  const half = Math.ceil(all.length / 2);
  if (half === all.length) return undefined;
  const byTable = (some: typeof all): Record<string, Part> =>
    Object.fromEntries(
      some.map(({ table, part }) => {
        const Keys = some.filter((one) => one.table === table).map(({ key }) => key);
        return [table, { ...part, Keys }];
      }),
    );
  return {
    body: Buffer.from(JSON.stringify({ ...request, RequestItems: byTable(all.slice(0, half)) })),
    respond: ({ status, headers, body: given }: EngineResponse): EngineResponse => {
      const response = { ...JSON.parse(String(given)), UnprocessedKeys: byTable(all.slice(half)) };
      const changed = Buffer.from(JSON.stringify(response));
      const framing = { 'content-length': String(changed.length), 'x-amz-crc32': String(crc32(changed)) };
      return { status, headers: { ...headers, ...framing }, body: changed };
    },
  };
};
