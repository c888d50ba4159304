/** Names and patterns that stack and CLI share. No CDK imports: they load slowly. */
import type { TableId } from '../tables.ts';

/** Matches the name of any region that AWS has or announces, such as `eu-west-2` and `eusc-de-east-1`. */
export const REGION_NAME = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

/** Matches the name of a supplier. The SDK stores no map with a field called `constructor`. */
export const SUPPLIER_NAME = /^(?!constructor$)[a-z0-9][a-z0-9-]{0,31}$/;

/** Stands for the supplier without a name. No supplier can have this name. */
export const NAMELESS = '-';

/** Matches a number, or a percentage of at most 100. */
export const LIMIT_FORM = /^(\d{1,15}|(100|\d{1,2}(\.\d{1,6})?)%)$/;

/** The plans of the stage, as JSON. */
export const PLANS_OUTPUT = 'Plans';

/** The checks that count, separated by commas, of a stage with `checks`. */
export const CHECKS_OUTPUT = 'Checks';

/** `yes` if the data outlives the CDK stack, otherwise `no`. If `yes`, the CLI asks before it changes data. */
export const KEEPS_DATA_OUTPUT = 'KeepsData';

/** The namespace of the metrics of imports by hand, of a stage whose alarms watch them. */
export const IMPORT_METRICS_OUTPUT = 'ImportMetrics';

/**
 * The metrics of an import that came to its end: the records that it has loaded or found unchanged, and the lines about
 * vehicles that are not stored. A load of compliance counts as one of each part too.
 */
export const IMPORT_METRICS = {
  vehicles: 'VehiclesLoaded',
  mot: 'MotLoaded',
  tax: 'TaxLoaded',
  fines: 'FinesLoaded',
  compliance: 'ComplianceLoaded',
} as const;

/** The metrics of vehicles whose cover an import has changed. */
export const COVER_METRICS = { becameInsured: 'BecameInsured', noLongerInsured: 'NoLongerInsured' } as const;

/** The kinds of records that files fill: vehicles, one part of the compliance records, or all of them. */
export type RecordKind = keyof typeof IMPORT_METRICS;

/** The parts of the records that a file of a kind fills. */
export const partsOf = (kind: RecordKind): readonly RecordKind[] =>
  kind === 'compliance' ? ['mot', 'tax', 'fines'] : [kind];

/** What `admin lookups` must know of a stage with `lookupLog`: a `LookupLogOutput` as JSON. */
export const LOOKUP_LOG_OUTPUT = 'LookupLogSettings';

export interface LookupLogOutput {
  /** The ARN of the KMS key from which the secrets are derived. */
  readonly key: string;
  /** The log groups of all functions that look vehicles up. */
  readonly logGroups: readonly string[];
  /** Days for which they keep a line. */
  readonly retentionDays: number;
  /** `https://host` of each service. */
  readonly endpoints: Readonly<Record<'kms' | 'logs', string>>;
}

/** The output with a table's name: `VehiclesTable` for `vehicles`. */
export const tableOutput = (id: TableId): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Table`;

/** The service's own folders in the bucket of the intake. What loads have changed, no supplier may read. */
export const BUCKET_FOLDERS = { reports: 'reports/', changes: 'changes/', control: 'control/' } as const;

/** What `admin intake` must know of the stack: an `IntakeOutput` as JSON. */
export const INTAKE_OUTPUT = 'IntakeSettings';

/** The dimension that tells suppliers of vehicles apart. Each metric of imports is there without it as well. */
export const SUPPLIER_DIMENSION = 'supplier';
