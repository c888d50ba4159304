/**
 * The model of what is stored, and the commands on compliance records. Files of DVSA:
 * unit/admin/import/sources.test.ts.
 */
import { complianceLine } from '../support/import-files.ts';
import type { LastLoad } from './undo-model.ts';

/** The parts of a compliance record: the column of a CSV, and where the value is stored. */
export const PARTS = {
  mot: { column: 'mot_due', attribute: 'mot', field: 'dueDate' },
  tax: { column: 'tax_paid_until', attribute: 'roadTax', field: 'paidUntil' },
  fines: { column: 'outstanding_fines', attribute: 'fines', field: 'outstanding' },
} as const;
export type Part = keyof typeof PARTS;
export const NAMES = Object.keys(PARTS) as Part[];
/** Ends the value of a part that `import compliance` has written. */
export const MARK = '*';

/** The number of each supplier's policy, by registration. */
export type Vehicles = Map<string, Record<string, string>>;

/** By registration: of a vehicle the number of each supplier's policy, the value of each part; what is erased. */
export interface Model {
  readonly vehicles: Vehicles;
  readonly compliance: Map<string, Partial<Record<Part, string>>>;
  readonly erased: Set<string>;
  last?: LastLoad;
}

/** Arguments of the command line, and what they do to the model. */
export interface ModelCommand {
  readonly args: (model: Model) => Promise<readonly string[]>;
  /** Whether the command can run; always without this function. */
  readonly check?: (model: Model) => boolean;
  /** Changes the model. @returns the outcome of each record that the command is about */
  readonly apply: (model: Model) => readonly string[];
}

const putParts = (
  { compliance, erased }: Model,
  registration: string,
  given: Partial<Record<Part, string>>,
): string => {
  if (erased.has(registration)) return 'erased';
  const before = compliance.get(registration) ?? {};
  if (Object.entries(given).every(([part, value]) => before[part as Part] === value)) return 'unchanged';
  compliance.set(registration, { ...before, ...given });
  return 'loaded';
};

/** Removes the parts for which `isRemoved` is true, and the record with its last part. */
export const removeParts = (
  { compliance, erased }: Model,
  registration: string,
  isRemoved: (part: Part, value: string) => boolean,
): string => {
  if (erased.has(registration)) return 'erased';
  const parts = Object.entries(compliance.get(registration) ?? {}) as [Part, string][];
  const left = parts.filter(([part, value]) => !isRemoved(part, value));
  if (left.length > 0) compliance.set(registration, Object.fromEntries(left));
  else compliance.delete(registration);
  return left.length < parts.length ? 'removed' : 'notThere';
};

/** What a complete file removes that lacks all but these registrations. */
const removeLacked = (
  model: Model,
  registrations: readonly string[],
  isRemoved: (part: Part, value: string) => boolean,
): string[] => {
  const lacked = [...model.compliance.keys()].filter((registration) => !registrations.includes(registration));
  return lacked.map((one) => removeParts(model, one, isRemoved)).filter((outcome) => outcome === 'removed');
};

const COMPLETE = ['--complete', '--remove-at-most=100%'];

/** @param file writes the lines of a file, and returns its path */
export const complianceCommands = (file: (name: string, ...lines: readonly string[]) => Promise<string>) => {
  /** A file of one part, in which a blank value says nothing. */
  const loadPart = (part: Part, values: Record<string, string>, isComplete: boolean): ModelCommand => {
    const rows = Object.entries(values);
    const given = rows.filter(([, value]) => value !== '');
    const options = isComplete && given.length > 0 ? COMPLETE : [];
    return {
      args: async () => {
        const lines = [`registration,${PARTS[part].column}`, ...rows.map((row) => row.join(','))];
        return ['import', part, await file(`${part}.csv`, ...lines, ''), ...options];
      },
      apply: (model) => [
        ...given.map(([registration, value]) => putParts(model, registration, { [part]: value })),
        ...Array(rows.length - given.length).fill('withoutValue'),
        ...(options.length > 0
          ? removeLacked(model, Object.keys(Object.fromEntries(given)), (one) => one === part)
          : []),
      ],
    };
  };

  const loadCompliance = (
    values: Record<string, readonly [mot: string, tax: string]>,
    isComplete: boolean,
  ): ModelCommand => ({
    args: async () => {
      const lines = Object.entries(values).map(([registration, [dueDate, paidUntil]]) =>
        complianceLine({ registration, mot: { dueDate }, roadTax: { paidUntil } }),
      );
      return ['import', 'compliance', await file('c.ndjson', ...lines), ...(isComplete ? COMPLETE : [])];
    },
    apply: (model) => [
      ...Object.entries(values).map(([registration, [mot, tax]]) =>
        putParts(model, registration, { mot: mot + MARK, tax: tax + MARK, fines: `0${MARK}` }),
      ),
      ...(isComplete ? removeLacked(model, Object.keys(values), (_, value) => value.endsWith(MARK)) : []),
    ],
  });

  return { loadPart, loadCompliance };
};
