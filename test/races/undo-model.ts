/** What undoing the last load of vehicles does to the model. */
import type { Model, ModelCommand, Vehicles } from './compliance-model.ts';

/** The last load of vehicles, or the last undo. */
export interface LastLoad {
  readonly changesFile: string;
  readonly before: Vehicles;
  readonly after: Vehicles;
  /** Vehicles that were erased, or whose erasure was undone, since it began. */
  readonly erased: Set<string>;
}

const undoVehicle = (model: Model, { before, after, erased }: LastLoad, registration: string): string => {
  const [old, written] = [before.get(registration) ?? {}, after.get(registration) ?? {}];
  if (model.erased.has(registration) || erased.has(registration)) return 'erased';
  const now = { ...model.vehicles.get(registration) };
  const suppliers = [...new Set([...Object.keys(old), ...Object.keys(written)])];
  const changed = suppliers.filter((one) => old[one] !== written[one] && now[one] !== old[one]);
  const putBack = changed.filter((one) => now[one] === written[one]);
  for (const one of putBack) {
    if (old[one] === undefined) delete now[one];
    else now[one] = old[one];
  }
  if (Object.keys(now).length > 0) model.vehicles.set(registration, now);
  else model.vehicles.delete(registration);
  if (putBack.length < changed.length) return 'changedSince';
  return putBack.length > 0 ? 'putBack' : 'unchanged';
};

const isSame = (one: object = {}, other: object = {}): boolean => {
  const text = (parts: object) => JSON.stringify(Object.entries(parts).sort());
  return text(one) === text(other);
};

export const undo = (): ModelCommand => ({
  args: async ({ last }) => ['undo', String(last?.changesFile), '--although-loaded-since'],
  check: ({ last }) => last !== undefined,
  apply: (model) => {
    const { last } = model;
    if (last === undefined) return [];
    const registrations = new Set([...last.before.keys(), ...last.after.keys()]);
    return [...registrations]
      .filter((one) => !isSame(last.before.get(one), last.after.get(one)))
      .map((one) => undoVehicle(model, last, one));
  },
});
