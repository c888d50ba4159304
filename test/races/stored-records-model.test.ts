/**
 * Random commands, some of whose responses are lost, and a small model of what is stored: after each command its counts
 * and both tables are those of the model. What is stored at the end is exported, and restored as it was. A new command
 * is a function like `erase`, and a line of `commands`.
 */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DynamoItem } from '../../core/aws/database.ts';
import { hasNoRecord, isErased } from '../../core/vehicles/erasure.ts';
import {
  complianceCommands,
  MARK,
  type Model,
  type ModelCommand,
  NAMES,
  PARTS,
  type Part,
  removeParts,
  type Vehicles,
} from './compliance-model.ts';
import { undo } from './undo-model.ts';
import { policyLine, useCommands } from './use-commands.ts';

const { proxy, run, clear, file, stored } = useCommands();
const { loadPart, loadCompliance } = complianceCommands(file);

const TABLES = ['vehicles', 'compliance'] as const;
const ERASED = 'erased';
const OUTCOMES = [
  ...['loaded', 'unchanged', 'removed', 'notThere', 'erased', 'undone', 'rejected', 'withoutValue'],
  ...['putBack', 'changedSince'],
];

/** Replaces a supplier's part of a vehicle; without a number removes it, and the vehicle with its last part. */
const setPart = ({ vehicles }: Model, registration: string, supplier: string, number?: string): void => {
  const { [supplier]: _, ...others } = vehicles.get(registration) ?? {};
  const parts = { ...others, ...(number !== undefined && { [supplier]: number }) };
  if (Object.keys(parts).length > 0) vehicles.set(registration, parts);
  else vehicles.delete(registration);
};

const suppliedBy = ({ vehicles }: Model, supplier: string): string[] =>
  [...vehicles].flatMap(([registration, parts]) => (supplier in parts ? [registration] : []));

const removeAll = (model: Model, supplier: string, registrations: readonly string[]): readonly string[] =>
  registrations.map((registration) => {
    setPart(model, registration, supplier);
    return 'removed';
  });

const loadVehicles = (supplier: string, numbers: Record<string, string>, complete: boolean): ModelCommand => ({
  args: async () => {
    const lines = Object.entries(numbers).map(([registration, number]) => policyLine(registration, number));
    const options = complete ? ['--complete', '--remove-at-most=100%', '--lose-cover-at-most=100%'] : [];
    return ['import', 'vehicles', await file('vehicles.ndjson', ...lines), '--supplier', supplier, ...options];
  },
  apply: (model) => {
    const lacked = suppliedBy(model, supplier).filter((registration) => !(registration in numbers));
    const loaded = Object.entries(numbers).map(([registration, number]) => {
      if (model.erased.has(registration)) return 'erased';
      if (model.vehicles.get(registration)?.[supplier] === number) return 'unchanged';
      setPart(model, registration, supplier, number);
      return 'loaded';
    });
    return [...loaded, ...(complete ? removeAll(model, supplier, lacked) : [])];
  },
});

const removeSupplied = (supplier: string): ModelCommand => ({
  args: async () => ['remove', 'vehicles', '--all', '--supplier', supplier],
  apply: (model) => removeAll(model, supplier, suppliedBy(model, supplier)),
});

const remove = (kind: 'vehicles' | 'compliance' | Part, registration: string): ModelCommand => ({
  args: async () => ['remove', kind, '--registration', registration],
  apply: (model) => {
    if (kind !== 'vehicles') return [removeParts(model, registration, (part) => ['compliance', part].includes(kind))];
    if (model.erased.has(registration)) return ['erased'];
    return [model.vehicles.delete(registration) ? 'removed' : 'notThere'];
  },
});

const erase = (registration: string): ModelCommand => ({
  args: async () => ['erase', '--registration', registration],
  apply: ({ vehicles, compliance, erased, last }) => {
    if (erased.has(registration)) return ['unchanged'];
    erased.add(registration);
    last?.erased.add(registration);
    const wasStored = [vehicles, compliance].map((records) => records.delete(registration));
    return [wasStored.includes(true) ? 'erased' : 'notThere'];
  },
});

const undoErasure = (registration: string): ModelCommand => ({
  args: async () => ['erase', '--undo', '--registration', registration],
  apply: ({ erased, last }) => {
    if (!erased.delete(registration)) return ['notThere'];
    last?.erased.add(registration);
    return ['undone'];
  },
});

/** Both tables in the form of the model, which has no vehicle of which only an undone erasure is stored. */
const storedRecords = async () => {
  const isShown = (item: DynamoItem) => isErased(item) || !hasNoRecord(item);
  const vehicles = (await stored<DynamoItem>('vehicles')).filter(isShown).map(({ registration, erased, policies }) => {
    const own = (policies ?? []) as readonly { readonly supplier: string; readonly number: string }[];
    return [registration, erased ? ERASED : Object.fromEntries(own.map(({ supplier, number }) => [supplier, number]))];
  });
  const compliance = (await stored<DynamoItem>('compliance')).filter(isShown).map((item) => {
    const parts = NAMES.flatMap((part) => {
      const { attribute, field } = PARTS[part];
      const { [field]: value, fromCompliance } = (item[attribute] ?? {}) as Record<string, unknown>;
      return value === undefined ? [] : [[part, `${value}${fromCompliance ? MARK : ''}`]];
    });
    return [item.registration, item.erased ? ERASED : Object.fromEntries(parts)];
  });
  return { vehicles: Object.fromEntries(vehicles), compliance: Object.fromEntries(compliance) };
};

const recordsOf = ({ vehicles, compliance, erased }: Model) => {
  const erasures = [...erased].map((registration) => [registration, ERASED] as const);
  return {
    vehicles: Object.fromEntries([...vehicles, ...erasures]),
    compliance: Object.fromEntries([...compliance, ...erasures]),
  };
};

/** A command of fast-check; from its nth write on four responses are lost, more than the SDK makes attempts. */
const checked = (
  { args, apply, check = () => true }: ModelCommand,
  lost: number | null,
  name: string,
): fc.AsyncCommand<Model, object> => ({
  check,
  toString: () => (lost === null ? name : `${name} without responses from ${lost}`),
  run: async (model) => {
    let writes = 0;
    proxy().inject(({ operation }) => {
      if (lost === null || !/^(Put|Delete|TransactWrite)/.test(operation)) return undefined;
      writes += 1;
      return lost <= writes && writes < lost + 4 ? 'resetAfter' : undefined;
    });
    const data = await run(...(await args(model)));
    const before: Vehicles = structuredClone(model.vehicles);
    const outcomes = apply(model);
    const { kind, changesFile } = data;
    if (kind === 'vehicles' && typeof changesFile === 'string') {
      model.last = { changesFile, before, after: structuredClone(model.vehicles), erased: new Set() };
    }
    const expected = OUTCOMES.map((one) => [one, outcomes.filter((outcome) => outcome === one).length]);
    expect(OUTCOMES.map((one) => [one, data[one] ?? 0])).toEqual(expected);
    expect(await storedRecords()).toEqual(recordsOf(model));
  },
});

const registration = fc.constantFrom('V1', 'V2', 'V3');
const supplier = fc.constantFrom('acme', 'zeta');
const number = fc.constantFrom('P1', 'P2');
const numbers = fc.dictionary(registration, number, { minKeys: 1 });
const kind = fc.constantFrom(...TABLES, ...NAMES);
const day = fc.constantFrom('2027-01-01', '2028-01-01');
const values = fc.dictionary(registration, fc.option(day, { nil: '' }), { minKeys: 1 });
const counts = fc.dictionary(registration, fc.constantFrom('0', '1'), { minKeys: 1 });
const days = fc.dictionary(registration, fc.tuple(day, day), { minKeys: 1 });
const lost = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 });

/** The commands of one kind, each with its arguments and perhaps a lost response. */
const commandsOf = <Args extends unknown[]>(
  make: (...args: Args) => ModelCommand,
  ...args: { [Nth in keyof Args]: fc.Arbitrary<Args[Nth]> }
) =>
  fc
    .tuple(lost, fc.tuple(...args))
    .map(([nth, given]) => checked(make(...(given as Args)), nth, `${make.name} ${JSON.stringify(given)}`));

const commands = fc.commands(
  [
    commandsOf(loadVehicles, supplier, numbers, fc.boolean()),
    commandsOf(removeSupplied, supplier),
    commandsOf(loadPart, fc.constantFrom('mot', 'tax'), values, fc.boolean()),
    commandsOf(loadPart, fc.constant('fines' as const), counts, fc.boolean()),
    commandsOf(loadCompliance, days, fc.boolean()),
    commandsOf(remove, kind, registration),
    commandsOf(erase, registration),
    commandsOf(undoErasure, registration),
    commandsOf(undo),
  ],
  { maxCommands: 20, size: 'max' },
);

/** All items but for their revisions, which every write changes. */
const storedItems = () =>
  Promise.all(TABLES.map(async (table) => (await stored<DynamoItem>(table)).map(({ revision, ...item }) => item)));

const exportAndRestore = async () => {
  proxy().reset();
  const files = await Promise.all(TABLES.map((table) => file(`${table}.export.ndjson`)));
  for (const [nth, table] of TABLES.entries()) await run('export', table, files[nth] ?? '');
  await clear();
  for (const [nth, table] of TABLES.entries()) {
    expect(await run('import', table, files[nth] ?? '', '--restore')).toMatchObject({ rejected: 0 });
  }
};

it('What is stored and counted is what a model says, whichever responses are lost', async () => {
  const property = fc.asyncProperty(commands, async (given) => {
    await clear();
    const model: Model = { vehicles: new Map(), compliance: new Map(), erased: new Set() };
    await fc.asyncModelRun(() => ({ model, real: {} }), given);
    const before = await storedItems();
    await exportAndRestore();
    expect(await storedItems()).toEqual(before);
  });
  await fc.assert(property, { numRuns: 20 });
});
