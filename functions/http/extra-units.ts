import { hasUnits } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { usageTable } from '../../core/access/usage-table.ts';
import { logFailure } from '../../core/runtime/log.ts';
import { countRegistrations } from './bulk.ts';
import type { HttpRequest } from './request.ts';

/**
 * Adds a unit for each entry of a valid bulk request but the first, which admission has counted
 * (docs/contract.md#units). The write runs beside the reads of the response, which waits for it. When the write fails,
 * the units are lost and logged.
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
