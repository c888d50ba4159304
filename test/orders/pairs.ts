import { contentChanges, seeded } from './content-changes.ts';
import { check, lists } from './content-readers.ts';
import { damaged, repairOfConsistent, repairs } from './content-repairs.ts';
import { keyChanges, seededKey } from './key-changes.ts';
import type { Operation, Pair } from './operation.ts';

const beside = (
  these: readonly Operation[],
  others: readonly Operation[],
  { stored: initial }: typeof seeded,
): Pair[] => these.flatMap((one) => others.map((another): Pair => ({ sides: [one, another], initial })));

/** Each with each, and with itself. */
const eachWithEach = (operations: readonly Operation[], initial: typeof seeded): Pair[] =>
  operations.flatMap((one, nth) => beside([one], operations.slice(nth), initial));

/** Every pair. */
export const pairs: readonly Pair[] = [
  ...eachWithEach(contentChanges, seeded),
  ...beside([...lists, check, repairOfConsistent], contentChanges, seeded),
  ...beside([repairOfConsistent], [...lists, check], seeded),
  ...beside(repairs, [...contentChanges, check], damaged),
  ...eachWithEach(repairs, damaged),
  ...eachWithEach(keyChanges, seededKey),
];

/** The name of a pair, for the command line. */
export const nameOf = ({ sides }: Pair): string => sides.map(({ name }) => name).join(' beside ');

/** The most telling pairs, by their names. */
export const gate: readonly string[] = [
  'create with a slug beside rename',
  'create with an Idempotency-Key beside create with the key and another body',
  'move beside delete',
  'list only page beside move and return',
  'list of the other domain beside move and return',
  'list by slug beside rename',
  'check beside create and delete',
  'repair of a list beside delete',
  'repair of what is consistent beside create',
  'keys rotate beside keys revoke',
];
