/** How many of the suppliers that a stage expects are current. */
import type { FinishedLoad, LoadTarget } from './finished-loads.ts';

/** The longest time between two loads of each supplier of vehicles, in hours; `-` is the supplier without a name. */
export type ExpectedSuppliers = Readonly<Record<string, number>>;

export interface Sources {
  /** Number of suppliers that the stage expects. */
  readonly expected: number;
  /** How many of them have loaded within their time. */
  readonly current: number;
}

const HOUR_MS = 3_600_000;

/** @param find finds the last finished load of a supplier */
export const sourcesAt = (
  now: Date,
  expected: ExpectedSuppliers,
  find: (target: LoadTarget) => FinishedLoad | undefined,
): Sources => {
  const isCurrent = ([supplier, hours]: readonly [string, number]): boolean => {
    const load = find({ kind: 'vehicles', supplier });
    return load !== undefined && !load.isRemoval && now.getTime() - Date.parse(load.at) <= hours * HOUR_MS;
  };
  const suppliers = Object.entries(expected);
  return { expected: suppliers.length, current: suppliers.filter(isCurrent).length };
};
