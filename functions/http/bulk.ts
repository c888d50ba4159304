import { LARGEST_BULK_SIZE } from '../../core/access/plans.ts';
import { bulkTooLarge } from '../../core/problems.ts';
import type { InboundMiddleware } from './request.ts';

/** The number of registrations in a parsed body, which may be invalid: then 0. */
export const countRegistrations = (body: unknown): number => {
  const { registrations } = (body ?? {}) as { readonly registrations?: unknown };
  return Array.isArray(registrations) ? registrations.length : 0;
};

const rejectMoreThan = (maxOf: (planLimit: number) => number): InboundMiddleware => ({
  before: ({ event, internal: { caller } }) => {
    const count = countRegistrations(event.body);
    const planLimit = caller?.plan.bulkSize ?? 0;
    if (count > maxOf(planLimit)) throw bulkTooLarge(count, planLimit);
  },
});

/** Rejects more entries than any plan allows, before validation. @throws BULK_TOO_LARGE */
export const rejectBeyondEveryPlan = rejectMoreThan(() => LARGEST_BULK_SIZE);

/** Rejects more entries than the plan of the admitted caller allows (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const rejectBeyondPlan = rejectMoreThan((planLimit) => planLimit);
