/** The schema of an entry of the setting `intake`, and of the forms that it shares with other settings. */
import * as T from 'typebox';
import { LIMIT_FORM, NAMELESS, SUPPLIER_NAME } from './outputs.ts';

/** A string of this pattern. An invalid value is rejected with "must be " and the description. */
export const text = (pattern: RegExp, description: string, limits: { maxLength?: number } = {}) =>
  T.String({ pattern: pattern.source, description, ...limits });

/** A CloudWatch alarm looks back at most 7 days, with a period of an hour or longer. */
export const TimeBetweenImports = text(
  /^(([1-9]\d?|1[0-5]\d|16[0-8])h|[1-7]d)$/,
  'hours or days, such as "26h" or "7d", at most 7 days',
);

const Limit = text(LIMIT_FORM, 'a number such as "200", or a percentage such as "2.5%"');

const isEncoding = (name: string): boolean => {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
};

/** The columns of CSV files of each kind, one of which each text of `map` names. */
export const COLUMNS_OF_KIND: Readonly<Record<string, readonly string[]>> = {
  vehicles: [
    ...['registration', 'make', 'model', 'year', 'color', 'policy_number', 'insurer', 'valid_from', 'valid_to'],
    ...['policy_type', 'last_updated'],
  ],
  mot: ['registration', 'mot_due', 'mot_exempt', 'last_updated'],
  tax: ['registration', 'tax_paid_until', 'tax_exempt', 'sorn', 'last_updated'],
  fines: ['registration', 'outstanding_fines', 'last_updated'],
  compliance: [
    ...['registration', 'mot_due', 'mot_exempt', 'tax_paid_until', 'tax_exempt', 'sorn', 'outstanding_fines'],
    'last_updated',
  ],
};

/** The files that arrive under a prefix of the bucket, and how they are imported: the options of the CLI's import. */
export const IntakeEntry = T.Object({
  prefix: text(
    /^([A-Za-z0-9][A-Za-z0-9_-]*\/)+$/,
    'letters, digits, _, - and slashes, at most 60, ending with a slash, such as vehicles/acme/',
    // All prefixes together must fit into an event pattern of 2,048 characters.
    { maxLength: 60 },
  ),
  import: text(/^(vehicles|mot|tax|fines|compliance)$/, 'vehicles, mot, tax, fines or compliance'),
  /** The longest time between two loaded files. An alarm is raised after it, until a file is loaded. */
  expect: TimeBetweenImports,
  /** The supplier that sends the files. When absent, it is the supplier without a name. */
  supplier: T.Optional(
    text(
      SUPPLIER_NAME,
      'at most 32 lower-case letters, digits and hyphens, beginning with a letter or digit, and not "constructor"',
    ),
  ),
  /** The form of a source's files. Compressed ones may then have any name. */
  format: T.Optional(text(/^dvsa$/, 'dvsa')),
  /** Whether each file has everything, so that what it lacks is removed. */
  complete: T.Optional(T.Boolean()),
  /** Columns of a CSV that have other names. */
  map: T.Optional(
    T.Array(text(/^\s*[^=\s].*=[a-z_]+$/, 'COLUMN=NAME, such as "Plate=registration"'), {
      minItems: 1,
      maxItems: 20,
    }),
  ),
  dates: T.Optional(text(/^(iso|uk|compact)$/, 'iso, uk or compact')),
  removeAtMost: T.Optional(Limit),
  /** How many vehicles that the supplier insures may not be insured by it after a complete file. Default: 5 %. */
  loseCoverAtMost: T.Optional(Limit),
  /** How many rows of a file may lack a readable registration. A file with more is refused. Default: none. */
  unreadableAtMost: T.Optional(Limit),
  /** The encoding of CSV files. When absent, it is detected. */
  encoding: T.Optional(
    T.Refine(
      T.String(),
      (name) => typeof name !== 'string' || isEncoding(name),
      () => 'must be the name of an encoding, such as "macintosh"',
    ),
  ),
  /**
   * The largest file, unpacked, in 10^9 bytes. A build has 50 GB of disk, for the file and three times as much.
   * Default: 5.
   */
  maxGigabytes: T.Optional(T.Number({ exclusiveMinimum: 0, maximum: 10 })),
  /** The role or account that may put files under the prefix and get their reports, if its own account permits it. */
  from: T.Optional(
    text(
      /^arn:aws[a-z-]*:iam::\d{12}:(root|role\/[\w+=,.@/-]+)$/,
      'the ARN of a role, or of an account such as arn:aws:iam::123456789012:root',
    ),
  ),
});

export type IntakeEntry = T.Static<typeof IntakeEntry>;

/**
 * The name of the build that loads the files of an entry. Files of compliance and of its parts have one build, where
 * the stage has entries of both: two that fill one part are never loaded at the same time.
 */
export const buildName = ({ import: kind, supplier }: IntakeEntry, entries: readonly IntakeEntry[]): string => {
  if (supplier !== undefined) return `${kind}-${supplier}`;
  return kind !== 'vehicles' && entries.some((entry) => entry.import === 'compliance') ? 'compliance' : kind;
};

/** A time between imports, such as `26h` or `7d`, in hours. */
export const hoursOf = (time: string): number => Number.parseInt(time, 10) * (time.endsWith('d') ? 24 : 1);

/** The suppliers of vehicles, each with the shortest time of its entries in hours. */
export const expectedSuppliers = (entries: readonly IntakeEntry[]): Readonly<Record<string, number>> => {
  const hours: Record<string, number> = {};
  for (const { import: kind, supplier = NAMELESS, expect } of entries) {
    if (kind !== 'vehicles') continue;
    hours[supplier] = Math.min(hours[supplier] ?? Number.POSITIVE_INFINITY, hoursOf(expect));
  }
  return hours;
};

/** The value of the stack's output `INTAKE_OUTPUT`, as JSON. */
export interface IntakeOutput {
  readonly bucket: string;
  /** The ARN of the topic that gets a message for each refused file. */
  readonly topic: string;
  /** The namespace of the metrics in `IMPORT_METRICS` of what a build has loaded. */
  readonly namespace: string;
  readonly entries: readonly IntakeEntry[];
}
