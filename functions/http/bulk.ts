import { hasUnits } from '../../core/access/key-record.ts';
import { LARGEST_BULK_SIZE, windowAt } from '../../core/access/plans.ts';
import type { usageTable } from '../../core/access/usage-table.ts';
import { logFailure } from '../../core/observability/log.ts';
import { bulkTooLarge } from '../../core/problems.ts';
import type { HttpRequest, InboundMiddleware } from './request.ts';

/** The number of registrations in a parsed body, which may be invalid: then 0. */
const countRegistrations = (body: unknown): number => {
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
export const largestBulkSize = rejectMoreThan(() => LARGEST_BULK_SIZE);

/** Rejects more entries than the plan of the admitted caller allows (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const planBulkSize = rejectMoreThan((planLimit) => planLimit);

/**
 * Adds a unit for each entry of a valid bulk request but the first, which admission has counted
 * (docs/contract.md#units). The response waits for this write, which runs beside its reads. When it fails, the units
 * are lost and logged.
 */
export const extraUnits = (add: ReturnType<typeof usageTable>['addExtraUnits']) => {
  // Lambda freezes a function that has responded.
  const settle = async ({ internal: context }: HttpRequest): Promise<void> => context.addingUnits;
  return {
    before: ({ event, internal: context }: HttpRequest): void => {
      const { caller, now, requestId } = context;
      const units = countRegistrations(event.body) - 1;
      if (caller === undefined || units < 1 || !hasUnits(caller.key)) return;
      context.addingUnits = add(caller.key.id, windowAt(now), units).catch((error: unknown) => {
        context.lostUnits = units;
        logFailure(requestId, error);
      });
    },
    after: settle,
    onError: settle,
  };
};
