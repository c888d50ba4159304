import { allowanceUnits } from '../../core/access/allowance.ts';
import type { PresentedKey } from '../../core/access/api-key.ts';
import { type Access, authenticate, type Caller, isWithinLimit } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { plansFrom, secondsUntilReset, windowAt } from '../../core/access/plans.ts';
import { requestCounter } from '../../core/access/request-counter.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { database } from '../../core/aws/database.ts';
import { type ApiError, rateLimited, scopeMissing } from '../../core/problems.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { optionalVariable } from '../../core/runtime/environment.ts';
import { logFailure } from '../../core/runtime/log.ts';
import { recentMap } from '../../core/runtime/recent-map.ts';
import { requestUnits } from './allowance.ts';
import type { HttpFunction } from './endpoint-definition.ts';
import type { HttpRequest, RequestContext } from './request.ts';
import { tableNamesOf } from './table-names.ts';

type AuthRequest = HttpRequest<{ key: PresentedKey; caller: Caller }>;

/** @throws RATE_LIMITED */
const requireWithinLimit = async ({ counter }: Access, { context }: AuthRequest): Promise<void> => {
  const { caller, deadline, now, requestId, logged } = context;
  const { key, plan, used } = caller;
  if (isWithinLimit(caller)) return;
  if (used === undefined) {
    logged.throttled = true;
  } else {
    // Before the first rejection in a window its limit is recorded, because the plan may change later. The rejection
    // does not depend on this write: the next rejected request tries again.
    const recording = counter.recordLimit(key.id, windowAt(now), plan.requestsPerWindow);
    await deadline.within(recording).catch((error: unknown) => logFailure(requestId, error));
  }
  throw rateLimited(plan.requestsPerWindow, secondsUntilReset(now));
};

/**
 * Whether the caller gets whole responses, or only the part of `vehicles:status`. That part is for today only, because
 * the days of a policy could be searched for. @throws SCOPE_MISSING
 */
export const answerScope = <Input>(dateOf: (input: Input) => LondonDate | undefined) => ({
  before: ({ context }: HttpRequest<{ caller: Caller; input: Input; isWholeAnswer: boolean }>): void => {
    const scope = 'vehicles:read';
    context.isWholeAnswer = context.caller.key.scopes.includes(scope);
    if (!context.isWholeAnswer && dateOf(context.input) !== undefined) throw scopeMissing(scope);
  },
});

type AuthEndpoint = Pick<HttpFunction, 'scope' | 'partScope' | 'tables'>;

type RequestUnits = ReturnType<typeof requestUnits>;

/**
 * Rejects a caller whose key is not in force, whose address the key does not permit, who is beyond its rate limit, who
 * lacks the scope or whose allowance is used up, in this order.
 * @param askUnits takes or checks the unit of a request, also of one that lacks the scope
 * @param maxAhead units that an instance takes ahead; when absent, the usual number
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
const authWith = (
  endpoint: AuthEndpoint,
  askUnits: (request: AuthRequest, units: RequestUnits) => Promise<ApiError | undefined>,
  maxAhead?: number,
) => {
  const { scope, partScope } = endpoint;
  const { keys, usage: usageName } = tableNamesOf(endpoint);
  const usage = usageTable(database(), usageName);
  const units = allowanceUnits(usage, maxAhead);
  const access: Access = {
    findKey: keyFinder(database(), keys),
    counter: requestCounter(usage),
    units,
    plans: plansFrom(optionalVariable('PLANS')),
    seenInForce: recentMap(),
  };
  const ofRequest = requestUnits(units, usage);
  return {
    before: async (request: AuthRequest): Promise<void> => {
      const { context } = request;
      const { deadline, key, whileCounting } = context;
      const startReads = () => {
        for (const start of whileCounting) start();
      };
      context.caller = await deadline.within(authenticate(access, key, context, startReads));
      await requireWithinLimit(access, request);
      const rejection = await askUnits(request, ofRequest);
      const isPermitted = context.caller.key.scopes.some((owned) => owned === scope || owned === partScope);
      if (scope !== undefined && !isPermitted) throw scopeMissing(scope);
      if (rejection !== undefined) throw rejection;
    },
  };
};

export const auth = (endpoint: AuthEndpoint) => authWith(endpoint, (request, units) => units.take(request, 1));

/** `auth` without the allowance: it takes a unit if there is one, and rejects nobody for it. */
export const authBeyondAllowance = (endpoint: AuthEndpoint) =>
  authWith(endpoint, async (request, units) => {
    await units.take(request, 1);
    return undefined;
  });

/** `auth` for a bulk request: it checks that there is a unit, and `extraUnits` takes the units of a valid request. */
export const bulkAuth = (endpoint: AuthEndpoint) =>
  authWith(
    endpoint,
    async (request, units) => {
      const { context } = request;
      const rejection = await units.check(request);
      if (rejection !== undefined) return rejection;
      context.takeUnits = (count) => {
        context.takeUnits = undefined;
        return units.take(request, count);
      };
      return undefined;
    },
    1,
  );

/**
 * Reads what the path names while `auth` counts the request, which saves a round trip. Nothing is read for a key that
 * is not in force, unless this instance has just seen it in force, and for a path that is invalid. The handler awaits
 * `context.preloaded`, so a rejected caller learns nothing from the read, not even from an error.
 */
export const preload = <Found, Loaded>(read: (request: RequestContext & Found) => Promise<Loaded>) => ({
  before: ({ context }: HttpRequest<Found & { preloaded: Promise<Loaded> }>): void => {
    if (context.pathError !== undefined) return;
    context.whileCounting.push(() => {
      context.preloaded = read(context);
      // When the request is rejected, nothing awaits this promise, and an unhandled rejection would end the process.
      context.preloaded.catch(() => undefined);
    });
  },
});
