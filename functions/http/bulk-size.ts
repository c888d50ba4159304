import { apiError } from '../../core/problems.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { InboundMiddleware } from './request.ts';

/** The number of registrations in the body of a bulk request; 0 in any other body. */
export const bulkLength = ({ bulk }: Pick<ServedEndpoint, 'bulk'>, body: unknown): number => {
  const { registrations } = (bulk ? (body ?? {}) : {}) as { readonly registrations?: unknown };
  return Array.isArray(registrations) ? registrations.length : 0;
};

/** Rejects more entries than the admitted caller's plan allows (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const bulkSizeLimit = (row: Pick<ServedEndpoint, 'bulk'>): InboundMiddleware => ({
  before: ({ internal: { input, caller } }) => {
    const [count, limit] = [bulkLength(row, input?.body), caller?.plan.bulkSize ?? 0];
    if (count > limit) throw apiError('BULK_TOO_LARGE', { count, limit });
  },
});
