import type { TObject } from 'typebox';
import * as T from 'typebox';
import { DEFAULT_PLANS, largestRequestsPerSecond } from '../core/access/plans.ts';
import { validationIssues } from '../core/schemas/validation-issues.ts';
import { COLUMNS_OF_KIND, type IntakeEntry } from '../core/stage/intake-entry.ts';
import { BUCKET_FOLDERS } from '../core/stage/outputs.ts';
import { DEFAULT_THROTTLE, StageFile } from '../core/stage/stage-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A field, such as `domain.name`, and what is wrong with it; false or undefined where nothing is wrong. */
type Problem = readonly [field: string, problem: string] | false | undefined;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unknownFields = ({ properties }: TObject, value: Fields, prefix = ''): Problem[] => {
  const unknown = `is not a setting; here the settings are ${Object.keys(properties).join(', ')}`;
  return Object.entries(value).flatMap(([name, inner]): Problem[] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) return [[`${prefix}${name}`, unknown]];
    if (T.IsArray(known) && T.IsObject(known.items) && Array.isArray(inner)) {
      const { items } = known;
      return inner.flatMap((one, index) =>
        isRecord(one) ? unknownFields(items, one, `${prefix}${name}.${index}.`) : [],
      );
    }
    return T.IsObject(known) && isRecord(inner) ? unknownFields(known, inner, `${prefix}${name}.`) : [];
  });
};

/** With the longest names they take 19 of the 20 KB that S3 permits for the policy of a bucket. */
const MAX_SENDERS = 15;

/** Matches stages such as `prod-eu`, but not `product`. */
const PRODUCTION = /(^|-)(prod|production|prd|live)(-|$)/;

const entryConflicts = (entry: IntakeEntry, index: number, entries: readonly IntakeEntry[]): Problem[] => {
  const { prefix, import: kind, supplier, format, complete, removeAtMost, loseCoverAtMost, map = [] } = entry;
  const field = `intake.${index}`;
  const earlier = entries.slice(0, index);
  const others = [...Object.values(BUCKET_FOLDERS), ...earlier.map((other) => other.prefix)];
  const overlap = others.find((other) => prefix.startsWith(other) || other.startsWith(prefix));
  // Each of the two would remove what the other one has loaded.
  const twin = earlier.find(
    (other) => complete && other.complete && other.import === kind && other.supplier === supplier,
  );
  const columns = COLUMNS_OF_KIND[kind] ?? [];
  return [
    overlap !== undefined && [`${field}.prefix`, `must not be, contain or lie in ${overlap}: ${prefix}`],
    supplier !== undefined && kind !== 'vehicles' && [`${field}.supplier`, 'is for vehicles only'],
    format !== undefined && kind !== 'mot' && [`${field}.format`, 'is for "import": "mot"'],
    format !== undefined && complete === true && [`${field}.complete`, `must not be true with "format": "${format}"`],
    ...(['map', 'encoding', 'dates'] as const).map(
      (name): Problem =>
        format !== undefined &&
        entry[name] !== undefined && [`${field}.${name}`, `is for CSV, not for "format": "${format}"`],
    ),
    twin && [`${field}.complete`, `must not be true for the same supplier as under ${twin.prefix}`],
    removeAtMost !== undefined && !complete && [`${field}.removeAtMost`, 'is for complete files: add "complete": true'],
    loseCoverAtMost !== undefined &&
      !(complete && kind === 'vehicles') && [`${field}.loseCoverAtMost`, 'is for complete files of vehicles'],
    ...map.map(
      (text, nth): Problem =>
        !columns.includes(text.slice(text.lastIndexOf('=') + 1)) && [
          `${field}.map.${nth}`,
          `must end with one of ${columns.join(', ')}`,
        ],
    ),
  ];
};

/** The rules between fields, each of which is valid by itself. */
const conflicts = (stage: string, file: StageFile): Problem[] => {
  const { region, keepsData, domain, alarmTopicArn, intake = [], tables = {} } = file;
  const { plans = DEFAULT_PLANS, throttle = DEFAULT_THROTTLE } = file;
  const leastRate = Math.ceil(largestRequestsPerSecond(plans));
  const isElsewhere = (arn: string | undefined) => arn !== undefined && arn.split(':')[3] !== region;
  return [
    PRODUCTION.test(stage) &&
      keepsData === undefined && [
        'keepsData',
        'is required for a stage with this name: true, or false if its data may be deleted',
      ],
    isElsewhere(domain?.certificateArn) && [
      'domain.certificateArn',
      `must be of a certificate in ${region}, the region of the stage`,
    ],
    isElsewhere(alarmTopicArn) && ['alarmTopicArn', `must be of a topic in ${region}, the region of the stage`],
    throttle.rateLimit < leastRate && [
      'throttle.rateLimit',
      `must be at least ${leastRate}, the requests per second of the largest plan`,
    ],
    ...Object.entries(tables).map(([id, name], nth, named) => {
      const [earlier] = named.slice(0, nth).find(([, other]) => other === name) ?? [];
      return earlier !== undefined && ([`tables.${id}`, `must be another table than tables.${earlier}`] as const);
    }),
    intake.filter(({ from }) => from !== undefined).length > MAX_SENDERS && [
      'intake',
      `must have at most ${MAX_SENDERS} entries with "from", because more with long names pass the 20 KB of their bucket's policy`,
    ],
    ...intake.flatMap(entryConflicts),
  ];
};

/** Every problem of the settings of a stage, as phrases that begin with the field; empty when they are valid. */
export const stageFileProblems = (stage: string, value: unknown): string[] => {
  if (!isRecord(value)) return ['must be an object'];
  const invalid = validationIssues(StageFile, value).map(
    ({ pointer, detail }): Problem => [pointer.slice(1).replaceAll('/', '.'), detail],
  );
  const others = invalid.length > 0 ? [] : conflicts(stage, value as StageFile);
  const problems = [...unknownFields(StageFile, value), ...invalid, ...others];
  return problems.flatMap((problem) => (problem ? problem.join(' ') : []));
};
