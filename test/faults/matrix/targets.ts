/** Which faults are injected where in a request's database work, and the response that is expected then. */
import assert from 'node:assert/strict';
import { type TableId, tables } from '../../../core/tables.ts';
import type { Reply, TestApi } from '../../support/api.ts';
import { FAULTS } from '../../support/fault-choosers.ts';
import { type DatabaseCall, type Fault, isApplicable } from '../../support/fault-proxy.ts';
import { BULK_SIZE, type Scenario, scenarios } from './scenarios.ts';

/** Longer than the service waits for a response (1 s), though the request is applied. */
const TOO_SLOW_MS = 1_500;

export interface Kind {
  readonly name: string;
  readonly fault: Fault;
  /** Whether requests succeed even while it lasts. */
  readonly isHidden: boolean;
}

/** Cancelled transactions are searched by `test/orders`. */
export const kinds: readonly Kind[] = [...FAULTS, { slowMs: TOO_SLOW_MS }]
  .filter((fault) => fault !== 'mixedCancellation')
  .map((fault) => ({
    name: typeof fault === 'object' ? `slow ${fault.slowMs} ms` : fault,
    fault,
    isHidden: fault === 'partial' || (typeof fault === 'object' && fault.slowMs < TOO_SLOW_MS),
  }));

/** Those that a small run lets last at each point by itself: another one that lasts is the same error to the code. */
const LASTING_ANYWHERE: readonly Fault[] = ['throttle', 'error', 'hang', 'partial'];

/** Some of the database requests of a scenario. */
interface InjectionPoint {
  readonly name: string;
  readonly tables: readonly TableId[];
  /** The database requests without faults. */
  readonly calls: readonly DatabaseCall[];
  /** Batch requests, and the registrations that they read. */
  readonly batches: number;
  readonly registrations: number;
  readonly includes: (call: DatabaseCall) => boolean;
}

export interface Expected {
  readonly status: number;
  /** Whether the service could read key and counter, and so sends their rate limit. */
  readonly knowsCaller: boolean;
  /** By default the scenario's own. @throws AssertionError */
  readonly requireBody?: (reply: Reply) => void;
}

export interface Target {
  readonly scenario: Scenario;
  readonly point: InjectionPoint;
  /** Which request at the point fails, from 1; undefined: all, until the response is there. */
  readonly nth: number | undefined;
  /** @param status without a fault */
  readonly expected: (status: number) => Expected;
}

interface Plan {
  readonly scenario: Scenario;
  readonly points: readonly InjectionPoint[];
  readonly everywhere: InjectionPoint;
  /** Of bulk requests: the full ones of several batches. */
  readonly fullBatches: readonly InjectionPoint[];
}

/** Keys of a full BatchGetItem. */
const FULL_BATCH = 100;

type Keys = readonly { readonly registration?: { readonly S: string } }[];

const keysIn = ({ operation, body }: DatabaseCall): Keys => {
  if (!operation.startsWith('Batch')) return [];
  const { RequestItems } = JSON.parse(body) as { RequestItems: Record<string, { Keys: Keys }> };
  return Object.values(RequestItems).flatMap(({ Keys }) => Keys);
};

/** Each operation on each table in a run without faults, full batches apart from others, and all together. */
export const planOf = ({ engine }: TestApi, scenario: Scenario, calls: readonly DatabaseCall[]): Plan => {
  const tablesOf = (call: DatabaseCall) =>
    (Object.keys(tables) as TableId[]).filter((id) => call.tables.includes(engine.names[id]));
  const nameOf = (call: DatabaseCall) => [call.operation, ...tablesOf(call)].join(' ');
  const isFull = (call: DatabaseCall) => keysIn(call).length === FULL_BATCH;
  const pointOf = (name: string, includes: InjectionPoint['includes']): InjectionPoint => {
    const included = calls.filter(includes);
    const registrations = included.flatMap(keysIn).flatMap(({ registration }) => registration?.S ?? []);
    return {
      name,
      includes,
      tables: [...new Set(included.flatMap(tablesOf))],
      calls: included,
      batches: included.filter(({ operation }) => operation.startsWith('Batch')).length,
      registrations: new Set(registrations).size,
    };
  };
  const names = [...new Set(calls.map(nameOf))];
  const points = names.map((name) => pointOf(name, (call) => nameOf(call) === name));
  const full = points.map(({ name, includes }) => pointOf(`full ${name}`, (call) => includes(call) && isFull(call)));
  return {
    scenario,
    points,
    everywhere: pointOf('everywhere', () => true),
    fullBatches: full.filter(({ batches }, nth) => batches > 0 && batches < (points[nth]?.batches ?? 0)),
  };
};

const withCode = (code: string) => (reply: Reply) => assert.partialDeepStrictEqual(reply.body, { code });

/** Under a fault that lasts (docs/contract.md#every-response, docs/contract.md#rate-limit, docs/contract.md#bulk). */
const expectedWhileFailing =
  ({ fault, isHidden }: Kind, { scenario, everywhere }: Plan, point: InjectionPoint) =>
  (healthy: number): Expected => {
    if (isHidden) return { status: healthy, knowsCaller: true };
    if (scenario.isBulk && point.batches > 0 && point.batches < everywhere.batches)
      return { status: healthy, knowsCaller: true, requireBody: withUnread(point.registrations) };
    const failed = { status: 500, requireBody: withCode('INTERNAL_ERROR') };
    const isUpdate = point.calls.some(({ operation }) => operation === 'UpdateItem');
    const isCounter = point.tables.includes('usage') && isUpdate;
    const isAdmission = point.tables.includes('keys') || isCounter;
    if (!isAdmission) return { ...failed, knowsCaller: true };
    if (fault !== 'throttle' || point.tables.includes('keys')) return { ...failed, knowsCaller: false };
    return { status: 429, knowsCaller: true, requireBody: withCode('RATE_LIMITED') };
  };

/** A bulk request that cannot read some batches reports exactly their registrations as unread. */
const withUnread =
  (unread: number) =>
  ({ body }: Reply): void => {
    const { results, failed } = body as { results: { code?: string }[]; failed: number };
    const unavailable = results.filter(({ code }) => code === 'LOOKUP_UNAVAILABLE').length;
    assert.deepEqual([results.length, failed, unavailable], [BULK_SIZE, unread, unread]);
  };

/**
 * Each scenario's last target in the first round, the one before in the second and so on, or each in a round of its own.
 * From the end, because transactions come last and are retried until the deadline: they wait together.
 */
const roundsOf = (targets: readonly Target[], isAlone: boolean): (readonly Target[])[] => {
  if (isAlone) return targets.map((target) => [target]);
  const queues = scenarios.map((scenario) => targets.filter((target) => target.scenario === scenario));
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, nth) => queues.flatMap((queue) => queue.at(-1 - nth) ?? []));
};

/**
 * Single faults first, since the SDK saves its retries once many have failed.
 * @param isLong single faults on each request of a point in turn, not only the first, and one scenario at a time
 */
export const roundsFor = (plans: readonly Plan[], kind: Kind, isLong: boolean): (readonly Target[])[] => {
  const applies = ({ calls }: InjectionPoint) => calls.some((call) => isApplicable(kind.fault, call));
  const targetsOf = (pointsOf: (plan: Plan) => readonly Pick<Target, 'point' | 'nth' | 'expected'>[]): Target[] =>
    plans.flatMap((plan) =>
      pointsOf(plan)
        .filter(({ point }) => applies(point))
        .map((target) => ({ scenario: plan.scenario, ...target })),
    );
  const once = targetsOf(({ points }) =>
    points.flatMap((point) =>
      (isLong ? point.calls : [0]).map((_, index) => ({
        point,
        nth: index + 1,
        expected: (status: number) => ({ status, knowsCaller: true }),
      })),
    ),
  );
  const lasting = (plan: Plan, points: readonly InjectionPoint[]) =>
    points.map((point) => ({ point, nth: undefined, expected: expectedWhileFailing(kind, plan, point) }));
  const outages = targetsOf((plan) => lasting(plan, [plan.everywhere]));
  const failures = targetsOf((plan) => {
    const isTried = isLong || LASTING_ANYWHERE.includes(kind.fault);
    return lasting(plan, isTried ? [...plan.points, ...(plan.scenario.isBulk ? plan.fullBatches : [])] : []);
  });
  return [once, outages, failures].flatMap((targets) => roundsOf(targets, isLong));
};
