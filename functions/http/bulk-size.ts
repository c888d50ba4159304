import { apiError } from '../../core/problems.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { InboundMiddleware } from './request.ts';

/** The number of entries in the array that the row's `bulk` names; 0 without one. */
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
