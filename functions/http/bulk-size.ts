import { LARGEST_BULK_SIZE } from '../../core/access/plans.ts';
import { bulkTooLarge } from '../../core/problems.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { HttpRequest, InboundMiddleware } from './request.ts';

type Row = Pick<ServedEndpoint, 'bulk'>;

/** The number of registrations in the parsed body of a bulk request; 0 in any other body. */
export const bulkLength = ({ bulk }: Row, body: unknown): number => {
  const { registrations } = (bulk ? (body ?? {}) : {}) as { readonly registrations?: unknown };
  return Array.isArray(registrations) ? registrations.length : 0;
};

const planLimit = ({ internal: { caller } }: HttpRequest): number => caller?.plan.bulkSize ?? 0;

/** Rejects more entries than any plan allows, before they are validated (docs/contract.md#precedence). @throws BULK_TOO_LARGE */
export const largestBulkSize = (row: Row): InboundMiddleware => ({
  before: (request) => {
    const count = bulkLength(row, request.event.body);
    if (count > LARGEST_BULK_SIZE) throw bulkTooLarge(count, planLimit(request));
  },
});

/** Rejects more entries than the admitted caller's plan allows (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const planBulkSize = (row: Row): InboundMiddleware => ({
  before: (request) => {
    const count = bulkLength(row, request.event.body);
    if (count > planLimit(request)) throw bulkTooLarge(count, planLimit(request));
  },
});
