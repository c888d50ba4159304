import { allowanceUnits } from '../../core/access/allowance.ts';
import type { PresentedKey } from '../../core/access/api-key.ts';
import { type Access, authenticate, type Caller, isWithinLimit, recordLimit } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { plansFrom, secondsUntilReset } from '../../core/access/plans.ts';
import { recentMap, requestCounter } from '../../core/access/request-counter.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { database } from '../../core/dynamodb/database.ts';
import { rateLimited, scopeMissing } from '../../core/problems.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { plansVariable } from '../../core/runtime/environment.ts';
import { logFailure } from '../../core/runtime/log.ts';
import { allowance, checkedUnit, takenUnit } from './allowance.ts';
import type { HttpFunction } from './endpoint-definition.ts';
import type { HttpRequest, RequestContext } from './request.ts';
import { tableNamesOf } from './table-names.ts';

type AuthRequest = HttpRequest<{ key: PresentedKey; caller: Caller }>;

/** Reads the key and counts the request. @throws UNAUTHORIZED, ADDRESS_FORBIDDEN */
const permittedKey = (access: Access) => ({
  before: async ({ context }: AuthRequest): Promise<void> => {
    const { deadline, key, startPreload = () => undefined } = context;
    context.caller = await deadline.within(authenticate(access, key, context, startPreload));
  },
});

/** @throws RATE_LIMITED */
const rateLimit = (access: Access) => ({
  before: async ({ context }: AuthRequest): Promise<void> => {
    const { caller, deadline, now, requestId } = context;
    if (isWithinLimit(caller)) return;
    context.isThrottled = caller.used === undefined;
    // The rejection does not depend on this write: the next rejected request tries again.
    await deadline.within(recordLimit(access, caller, now)).catch((error: unknown) => logFailure(requestId, error));
    throw rateLimited(caller.plan.requestsPerWindow, secondsUntilReset(now));
  },
});

/** @throws SCOPE_MISSING */
const requiredScope = ({ scope, partScope }: Pick<HttpFunction, 'scope' | 'partScope'>) => ({
  before: ({ context: { caller } }: AuthRequest): void => {
    if (scope === undefined) return;
    const isPermitted = caller.key.scopes.some((owned) => owned === scope || owned === partScope);
    if (!isPermitted) throw scopeMissing(scope);
  },
});

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

/** Reads the key, counts the request, and takes or checks its unit. */
const admission = (
  endpoint: Pick<HttpFunction, 'scope' | 'partScope' | 'tables'>,
  unit: typeof takenUnit | typeof checkedUnit,
) => {
  const { keys, usage: usageName } = tableNamesOf(endpoint);
  const usage = usageTable(database(), usageName);
  const access: Access = {
    findKey: keyFinder(database(), keys),
    counter: requestCounter(usage),
    units: allowanceUnits(usage),
    plans: plansFrom(plansVariable()),
    seenInForce: recentMap(),
  };
  return [permittedKey(access), rateLimit(access), unit(access, usageName), requiredScope(endpoint)];
};

/** `auth` without the allowance: it takes a unit if there is one, and rejects nobody for it. */
export const authBeyondAllowance = (endpoint: Parameters<typeof admission>[0]) => admission(endpoint, takenUnit);

/**
 * Rejects a caller whose key is not in force, whose address the key does not permit, who is beyond its rate limit, who
 * lacks the scope or whose allowance is used up, in this order.
 * @throws MissingEnvironment at start, naming every variable that is missing
 */
export const auth = (endpoint: Parameters<typeof admission>[0]) => [...admission(endpoint, takenUnit), allowance()];

/** `auth` for a bulk request: `extraUnits` takes its units from the allowance. */
export const bulkAuth = (endpoint: Parameters<typeof admission>[0]) => [
  ...admission(endpoint, checkedUnit),
  allowance(),
];

/**
 * Reads what the path names while `auth` counts the request, which saves a round trip. Nothing is read for a key that is
 * not in force, unless this instance has just seen it in force, and for a path that is invalid. The handler awaits
 * `context.preloaded`, so a rejected caller learns nothing from the read, not even from an error.
 */
export const preload = <Found, Loaded>(read: (request: RequestContext & Found) => Promise<Loaded>) => ({
  before: ({ context }: HttpRequest<Found & { preloaded: Promise<Loaded> }>): void => {
    if (context.pathError !== undefined) return;
    context.startPreload = () => {
      context.preloaded = read(context);
      // When the request is rejected, nothing awaits this promise, and an unhandled rejection would end the process.
      context.preloaded.catch(() => undefined);
    };
  },
});
