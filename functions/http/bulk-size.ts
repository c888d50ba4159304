import { apiError } from '../../core/problems.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { InboundMiddleware } from './request.ts';

/** Entries in the array of a body that the row marks as bulk; 0 when there is none. */
export const bulkLength = ({ bulk }: Pick<ServedEndpoint, 'bulk'>, body: unknown): number => {
  const isRecord = typeof body === 'object' && body !== null;
  const entries = bulk !== undefined && isRecord ? (body as Record<string, unknown>)[bulk] : undefined;
  return Array.isArray(entries) ? entries.length : 0;
};

/** Rejects more entries than the admitted caller's plan allows (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const bulkSizeLimit = (row: Pick<ServedEndpoint, 'bulk'>): InboundMiddleware => ({
  before: ({ event: { body }, internal: { caller } }) => {
    const [count, limit] = [bulkLength(row, body), caller?.plan.bulkSize ?? 0];
    if (row.bulk !== undefined && count > limit) throw apiError('BULK_TOO_LARGE', { field: row.bulk, count, limit });
  },
});
