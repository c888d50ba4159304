import { allowanceOf } from '../../core/access/allowance.ts';
import type { Access, Caller } from '../../core/access/authenticate.ts';
import { hasUnits } from '../../core/access/key-record.ts';
import { secondsUntil, secondsUntilReset, windowAt } from '../../core/access/plans.ts';
import { type Allowance, type AllowanceLimit, extraUnitsAdder } from '../../core/access/usage-table.ts';
import { database, isThrottle } from '../../core/dynamodb/database.ts';
import { type ApiError, allowanceExceeded, rateLimited } from '../../core/problems.ts';
import { logFailure } from '../../core/runtime/log.ts';
import type { HttpRequest } from './request.ts';

type CallerRequest = HttpRequest<{ caller: Caller }>;

/**
 * Notes the error of a request whose units do not fit, or whose allowance is throttled. `auth` has counted a unit for
 * such a request, which is taken away.
 */
const noteRejection = async (
  { context }: CallerRequest,
  removeUnit: ReturnType<typeof extraUnitsAdder>,
  units: number,
  ask: (allowance: Allowance) => Promise<AllowanceLimit | undefined>,
): Promise<void> => {
  const { caller, deadline, now, requestId } = context;
  context.units = hasUnits(caller.key) ? 1 : 0;
  const allowance = allowanceOf(caller.key, caller.plan, now);
  if (allowance === undefined) return;
  let error: ApiError | undefined;
  try {
    const passed = await deadline.within(ask(allowance));
    error = passed && allowanceExceeded(units, passed.limit, passed.period, passed.end, secondsUntil(passed.end, now));
  } catch (failure) {
    if (!isThrottle(failure)) throw failure;
    context.isThrottled = true;
    error = rateLimited(caller.plan.requestsPerWindow, secondsUntilReset(now));
  }
  if (error === undefined) return;
  context.allowanceError = error;
  context.units = 0;
  const removing = removeUnit(caller.key.id, windowAt(now), -1);
  await deadline.within(removing).catch((failure: unknown) => logFailure(requestId, failure));
};

/** Takes the unit of a request. */
export const takenUnit = ({ units }: Access, usageTable: string) => {
  const removeUnit = extraUnitsAdder(database(), usageTable);
  return {
    before: (request: CallerRequest): Promise<void> =>
      noteRejection(request, removeUnit, 1, (allowance) => units.take(allowance, 1)),
  };
};

/** Checks that there is a unit for a bulk request, whose units are taken together once it is known to be valid. */
export const checkedUnit = ({ units }: Access, usageTable: string) => {
  const removeUnit = extraUnitsAdder(database(), usageTable);
  return {
    before: async (request: CallerRequest): Promise<void> => {
      const { context } = request;
      await noteRejection(request, removeUnit, 1, units.check);
      if (context.allowanceError !== undefined) return;
      context.takeUnits = (count) => {
        context.takeUnits = undefined;
        return noteRejection(request, removeUnit, count, (allowance) => units.take(allowance, count));
      };
    },
  };
};

/** Rejects a request whose units did not fit. @throws ALLOWANCE_EXCEEDED, or RATE_LIMITED when DynamoDB throttles */
export const allowance = () => ({
  before: ({ context: { allowanceError } }: HttpRequest): void => {
    if (allowanceError !== undefined) throw allowanceError;
  },
});
