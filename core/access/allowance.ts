/** The units that a plan permits in a day and in a month (UTC), exact (docs/contract.md#allowance). */
import { recentMap } from '../runtime/recent-map.ts';
import { creationOwnerId, hasUnits, type KeyRecord } from './key-record.ts';
import type { Plan } from './plans.ts';
import type { Allowance, AllowanceLimit, UsageTable, UsedUnits } from './usage-table.ts';

/** The attribute with the units of a month; the attribute of a day is `d07`. */
const MONTH_COUNTER = 'total';

/** Whose units are counted together: a customer, or without one a key with its successors. */
const payerOf = (key: KeyRecord): string =>
  key.customer === undefined ? `key#${creationOwnerId(key)}` : `customer#${key.customer}`;

/** Undefined for a plan without an allowance and for a key that has no units. */
export const allowanceOf = (key: KeyRecord, plan: Plan, now: Date): Allowance | undefined => {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const dayCounter = `d${String(day).padStart(2, '0')}`;
  const periods = [
    { period: 'day', counter: dayCounter, limit: plan.unitsPerDay, end: new Date(Date.UTC(year, month, day + 1)) },
    { period: 'month', counter: MONTH_COUNTER, limit: plan.unitsPerMonth, end: new Date(Date.UTC(year, month + 1)) },
  ] as const;
  const limits = periods.flatMap(({ limit, ...period }) => (limit === undefined ? [] : [{ ...period, limit }]));
  if (limits.length === 0 || !hasUnits(key)) return undefined;
  return {
    item: { keyId: `allowance#${payerOf(key)}#${key.plan}`, windowStart: Date.UTC(year, month) / 1_000 },
    counters: [MONTH_COUNTER, dayCounter],
    limits,
  };
};

/** Maximum number of units that an instance takes at once, and how many units of the smaller limit permit one. */
const MAX_AHEAD = 100;
const UNITS_PER_ONE_AHEAD = 1_000;

/** Allowances that an instance remembers, in a few megabytes. What was taken ahead for a forgotten one is lost. */
const MAX_REMEMBERED = 10_000;

interface AllowanceState {
  /** Never more than what is stored. */
  used: UsedUnits;
  /** Units that this instance has taken ahead. None is given back. */
  held: number;
  takingAhead?: Promise<void> | undefined;
}

/**
 * Takes units from allowances. An instance remembers what is used, and writes nothing when units cannot fit. A write
 * whose response was lost may count twice: the customer then gets fewer units, never more.
 * @param maxAhead 1 for an instance of bulk requests, which take what they need
 */
export const allowanceUnits = (usage: Pick<UsageTable, 'addUnits'>, maxAhead = MAX_AHEAD) => {
  const states = recentMap<AllowanceState>(MAX_REMEMBERED);

  const stateOf = ({ item, counters }: Allowance): AllowanceState => {
    const name = [item.keyId, item.windowStart, ...counters].join(' ');
    const state = states.get(name) ?? { used: {}, held: 0 };
    states.remember(name, state);
    return state;
  };

  /** Of the limits that these units would pass, as far as this instance knows, the one whose period ends last. */
  const passedBy = (units: number, { limits }: Allowance, { used }: AllowanceState): AllowanceLimit | undefined =>
    limits.findLast(({ counter, limit }) => (used[counter] ?? 0) + units > limit);

  /** Adds units unless they are known not to fit. When they did not fit, it finds out what is used. */
  const add = async (units: number, allowance: Allowance, state: AllowanceState): Promise<boolean> => {
    if (passedBy(units, allowance, state) !== undefined) return false;
    const added = await usage.addUnits(allowance, units);
    const used = added ?? (await usage.addUnits(allowance, 0)) ?? {};
    // Responses may arrive in another order.
    const latest = allowance.counters.map((name) => [name, Math.max(used[name] ?? 0, state.used[name] ?? 0)]);
    state.used = Object.fromEntries(latest);
    return added !== undefined;
  };

  /** Takes units ahead when this instance holds none. With 1 at once it takes none ahead, and the count is exact. */
  const takeAhead = async (allowance: Allowance, state: AllowanceState): Promise<void> => {
    const smallest = Math.min(...allowance.limits.map(({ limit }) => limit));
    const units = Math.min(maxAhead, Math.floor(smallest / UNITS_PER_ONE_AHEAD));
    if (state.held > 0 || units <= 1) return;
    const take = async () => {
      if (await add(units, allowance, state)) state.held += units;
    };
    state.takingAhead ??= take().finally(() => {
      state.takingAhead = undefined;
    });
    await state.takingAhead;
  };

  return {
    /** Begins to take units ahead when this instance holds none, so that `take` need not wait for it alone. */
    prepare: (allowance: Allowance): void => {
      // `take` repeats what has failed.
      takeAhead(allowance, stateOf(allowance)).catch(() => undefined);
    },

    /** Takes all of the units or none. @returns the limit that they would pass, when none is taken */
    take: async (allowance: Allowance, units: number): Promise<AllowanceLimit | undefined> => {
      const state = stateOf(allowance);
      await takeAhead(allowance, state);
      if (units <= state.held) {
        state.held -= units;
        return undefined;
      }
      if (await add(units, allowance, state)) return undefined;
      return passedBy(units, allowance, state) ?? allowance.limits.at(-1);
    },

    /** Whether there is another unit, which is not taken. @returns the limit that it would pass */
    check: async (allowance: Allowance): Promise<AllowanceLimit | undefined> => {
      const state = stateOf(allowance);
      if (passedBy(1, allowance, state) === undefined) await add(0, allowance, state);
      return passedBy(1, allowance, state);
    },
  };
};

/** How much of each limit of a key is used, with what instances have taken ahead; empty without an allowance. */
export const readAllowance = async (usage: Pick<UsageTable, 'usedUnits'>, key: KeyRecord, plan: Plan, now: Date) => {
  const allowance = allowanceOf(key, plan, now);
  if (allowance === undefined) return [];
  const used = await usage.usedUnits(allowance);
  return allowance.limits.map(({ period, counter, limit, end }) => ({
    period,
    limit,
    used: used[counter] ?? 0,
    // ISO 8601, UTC.
    resetsAt: end.toISOString(),
  }));
};
