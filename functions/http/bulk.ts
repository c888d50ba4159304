import type { Caller } from '../../core/access/authenticate.ts';
import { LARGEST_BULK_SIZE } from '../../core/access/plans.ts';
import { bulkTooLarge } from '../../core/problems.ts';
import type { HttpRequest } from './request.ts';

/** The number of registrations in a parsed body, which may be invalid: then 0. */
const countRegistrations = (body: unknown): number => {
  const { registrations } = (body ?? {}) as { readonly registrations?: unknown };
  return Array.isArray(registrations) ? registrations.length : 0;
};

/** Counts the entries, and rejects more than any plan allows, before validation. @throws BULK_TOO_LARGE */
export const largestBulkSize = () => ({
  before: ({ event, context }: HttpRequest<{ caller: Caller; entryCount: number }>): void => {
    context.entryCount = countRegistrations(event.body);
    if (context.entryCount > LARGEST_BULK_SIZE) throw bulkTooLarge(context.entryCount, context.caller.plan.bulkSize);
  },
});

/** After validation rejects more entries than the plan allows (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const planBulkSize = () => ({
  before: ({ context: { caller, entryCount } }: HttpRequest<{ caller: Caller; entryCount: number }>): void => {
    if (entryCount > caller.plan.bulkSize) throw bulkTooLarge(entryCount, caller.plan.bulkSize);
  },
});
