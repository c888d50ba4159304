import type { Caller } from '../../core/access/authenticate.ts';
import { hasUnits } from '../../core/access/key-record.ts';
import { MAX_BULK_SIZE, windowAt } from '../../core/access/plans.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { databaseWithoutRetries } from '../../core/aws/database.ts';
import { bulkTooLarge } from '../../core/problems.ts';
import { logFailure } from '../../core/runtime/log.ts';
import type { HttpFunction } from './endpoint-definition.ts';
import { registrationsIn } from './reference.ts';
import type { HttpRequest } from './request.ts';
import { tableNamesOf } from './table-names.ts';

/** `addingUnits` is settled when the units are added or lost; it never rejects. */
type BulkRequest = HttpRequest<{ caller: Caller; entryCount: number; addingUnits?: Promise<void> }>;

/** Counts the entries, and rejects more than any plan can allow, before validation. @throws BULK_TOO_LARGE */
export const largestBulkSize = () => ({
  before: ({ event, context }: BulkRequest): void => {
    context.entryCount = registrationsIn(event.body)?.length ?? 0;
    if (context.entryCount > MAX_BULK_SIZE) throw bulkTooLarge(context.entryCount, context.caller.plan.bulkSize);
  },
});

/** Rejects more entries than the plan allows, after validation (docs/contract.md#bulk). @throws BULK_TOO_LARGE */
export const planBulkSize = () => ({
  before: ({ context: { caller, entryCount } }: BulkRequest): void => {
    if (entryCount > caller.plan.bulkSize) throw bulkTooLarge(entryCount, caller.plan.bulkSize);
  },
});

/**
 * Takes the units of a valid bulk request from the allowance, all or none. Then adds a unit for each entry except the
 * first, which `auth` has counted (docs/contract.md#units). This write runs beside the reads of the response, which
 * waits for it. When the write fails, the units are lost and logged. A bulk request that is rejected before is one
 * unit.
 * @throws ALLOWANCE_EXCEEDED
 */
export const extraUnits = (endpoint: Pick<HttpFunction, 'tables'>) => {
  // Without retries, units may be lost, but never count twice.
  const { addExtraUnits } = usageTable(databaseWithoutRetries(), tableNamesOf(endpoint).usage);
  // Waits for the write, because Lambda freezes a function that has responded.
  const settle = async ({ context }: BulkRequest): Promise<void> => context.addingUnits;
  return {
    before: async ({ context }: BulkRequest): Promise<void> => {
      const { caller, entryCount, now, requestId } = context;
      const rejection = await context.takeUnits?.(entryCount);
      if (rejection !== undefined) throw rejection;
      const units = entryCount - 1;
      if (units < 1 || !hasUnits(caller.key)) return;
      context.addingUnits = addExtraUnits(caller.key.id, windowAt(now), units).then(
        () => {
          context.logged.units = entryCount;
        },
        (error: unknown) => {
          context.logged.lostUnits = units;
          logFailure(requestId, error);
        },
      );
    },
    after: settle,
    onError: async (request: BulkRequest): Promise<void> => {
      const { context } = request;
      await context.takeUnits?.(1).catch((error: unknown) => logFailure(context.requestId, error));
      await settle(request);
    },
  };
};
