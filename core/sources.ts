/** How many of the suppliers that a stage expects are current. Imports no SDK. */

/** The longest time between two loads of each supplier of vehicles, in hours; `-` is the supplier without a name. */
export type ExpectedSuppliers = Readonly<Record<string, number>>;

export interface Sources {
  /** Number of suppliers that the stage expects. */
  readonly expected: number;
  /** How many of them have loaded within their time. */
  readonly current: number;
}

const HOUR_MS = 3_600_000;

/** @param lastLoadOf when a supplier has last loaded, ISO 8601 UTC */
export const sourcesAt = (
  now: Date,
  expected: ExpectedSuppliers,
  lastLoadOf: (supplier: string) => string | undefined,
): Sources => {
  const isCurrent = ([supplier, hours]: readonly [string, number]): boolean => {
    const at = lastLoadOf(supplier);
    return at !== undefined && now.getTime() - Date.parse(at) <= hours * HOUR_MS;
  };
  const suppliers = Object.entries(expected);
  return { expected: suppliers.length, current: suppliers.filter(isCurrent).length };
};
