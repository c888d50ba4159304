import type { Caller } from '../../core/access/authenticate.ts';
import { hasUnits } from '../../core/access/key-record.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { extraUnitsAdder } from '../../core/access/usage-table.ts';
import { logFailure } from '../../core/runtime/log.ts';
import type { HttpRequest } from './request.ts';

/**
 * Adds a unit for each entry of a valid bulk request but the first, which admission has counted
 * (docs/contract.md#units). The write runs beside the reads of the response, which waits for it. When the write fails,
 * the units are lost and logged.
 */
export const extraUnits = (add: ReturnType<typeof extraUnitsAdder>) => {
  // Lambda freezes a function that has responded.
  const settle = async ({ context }: HttpRequest<{ addingUnits?: Promise<void> }>): Promise<void> =>
    context.addingUnits;
  return {
    before: ({ context }: HttpRequest<{ caller: Caller; entryCount: number; addingUnits?: Promise<void> }>): void => {
      const { caller, entryCount, now, requestId } = context;
      const units = entryCount - 1;
      if (units < 1 || !hasUnits(caller.key)) return;
      context.addingUnits = add(caller.key.id, windowAt(now), units).catch((error: unknown) => {
        context.lostUnits = units;
        logFailure(requestId, error);
      });
    },
    after: settle,
    onError: settle,
  };
};
