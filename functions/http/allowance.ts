import { allowanceOf, type allowanceUnits } from '../../core/access/allowance.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import { hasUnits } from '../../core/access/key-record.ts';
import { secondsUntil, secondsUntilReset, windowAt } from '../../core/access/plans.ts';
import type { Allowance, AllowanceLimit, UsageTable } from '../../core/access/usage-table.ts';
import { isThrottle } from '../../core/aws/database.ts';
import { type ApiError, allowanceExceeded, rateLimited } from '../../core/problems.ts';
import { logFailure } from '../../core/runtime/log.ts';
import type { HttpRequest } from './request.ts';

type CallerRequest = HttpRequest<{ caller: Caller }>;

/** The units of requests. Each method returns the error of a request whose units do not fit, or are throttled. */
export const requestUnits = (units: ReturnType<typeof allowanceUnits>, usage: UsageTable) => {
  const rejectionOf = async (
    { context }: CallerRequest,
    count: number,
    ask: (allowance: Allowance) => Promise<AllowanceLimit | undefined>,
  ): Promise<ApiError | undefined> => {
    const { caller, deadline, now, requestId } = context;
    context.logged.units = hasUnits(caller.key) ? 1 : undefined;
    const allowance = allowanceOf(caller.key, caller.plan, now);
    if (allowance === undefined) return undefined;
    let error: ApiError;
    try {
      const passed = await deadline.within(ask(allowance));
      if (passed === undefined) return undefined;
      error = allowanceExceeded(count, passed.limit, passed.period, passed.end, secondsUntil(passed.end, now));
    } catch (failure) {
      if (!isThrottle(failure)) throw failure;
      context.logged.throttled = true;
      error = rateLimited(caller.plan.requestsPerWindow, secondsUntilReset(now));
    }
    context.logged.units = undefined;
    // The request was counted in its window, and its unit is taken away there.
    const removing = usage.addExtraUnits(caller.key.id, windowAt(now), -1);
    await deadline.within(removing).catch((failure: unknown) => logFailure(requestId, failure));
    return error;
  };
  return {
    take: (request: CallerRequest, count: number) =>
      rejectionOf(request, count, (allowance) => units.take(allowance, count)),
    /** Checks that there is a unit. */
    check: (request: CallerRequest) => rejectionOf(request, 1, units.check),
  };
};
