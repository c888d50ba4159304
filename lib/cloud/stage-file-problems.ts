/** The validation of a stage's settings file. */
import type { TObject } from 'typebox';
import * as T from 'typebox';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { intakePolicyOutput as policyName } from './outputs.ts';
import { type IntakeEntry, StageFile } from './stage-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A field, such as `domain.name`, and what is wrong with it. */
type FieldProblem = readonly [field: string, problem: string];

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unknownFields = ({ properties }: TObject, value: Fields, prefix = ''): FieldProblem[] =>
  Object.entries(value).flatMap(([name, inner]): FieldProblem[] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) return [[`${prefix}${name}`, 'is not a setting']];
    if (T.IsArray(known) && T.IsObject(known.items) && Array.isArray(inner)) {
      const { items } = known;
      return inner.flatMap((one, index) =>
        isRecord(one) ? unknownFields(items, one, `${prefix}${name}.${index}.`) : [],
      );
    }
    return T.IsObject(known) && isRecord(inner) ? unknownFields(known, inner, `${prefix}${name}.`) : [];
  });

const invalidFields = (value: Fields): FieldProblem[] =>
  validationIssues(StageFile, value).map(({ pointer, detail }) => [pointer.slice(1).replaceAll('/', '.'), detail]);

/** Matches `prod-eu`, but not `product`. */
const PRODUCTION = /(^|-)(prod|production|prd|live)(-|$)/;

/** The bucket has its own folders beside the prefixes. */
const OWN_PREFIXES = ['reports/', 'control/'];

const intakeConflicts = (entries: readonly IntakeEntry[]): FieldProblem[] =>
  entries.flatMap(({ prefix, import: kind, supplier, complete, removeAtMost }, index) => {
    const field = `intake.${index}`;
    const others = [...OWN_PREFIXES, ...entries.slice(0, index).map((entry) => entry.prefix)];
    const overlap = others.find((other) => prefix.startsWith(other) || other.startsWith(prefix));
    const twin = entries
      .slice(0, index)
      .find((entry) => complete && entry.complete && entry.import === kind && entry.supplier === supplier);
    const alike = others.find((other) => other !== overlap && policyName(other) === policyName(prefix));
    return [
      ...(overlap === undefined
        ? []
        : [[`${field}.prefix`, `must not be, contain or lie in ${overlap}: ${prefix}`] as const]),
      // The name of its output has nothing else.
      ...(alike === undefined ? [] : [[`${field}.prefix`, `must differ from ${alike} in letters or digits`] as const]),
      ...(supplier !== undefined && kind !== 'vehicles'
        ? [[`${field}.supplier`, 'is for vehicles only'] as const]
        : []),
      // Each of the two would remove what the other one has loaded.
      ...(twin === undefined
        ? []
        : [[`${field}.complete`, `must not be true for the same supplier as under ${twin.prefix}`] as const]),
      ...(removeAtMost !== undefined && !complete
        ? [[`${field}.removeAtMost`, 'is for complete files: add "complete": true'] as const]
        : []),
    ];
  });

/** The rules between fields that are valid by themselves. */
const conflicts = (
  stage: string,
  { region, keepsData, domain, alarmTopicArn, intake = [], tables = {} }: StageFile,
): FieldProblem[] => {
  const problems: FieldProblem[] = [];
  if (PRODUCTION.test(stage) && keepsData === undefined) {
    problems.push(['keepsData', 'is required for a stage with this name: true, or false if its data may be deleted']);
  }
  if (domain !== undefined && domain.certificateArn.split(':')[3] !== region) {
    problems.push(['domain.certificateArn', `must be of a certificate in ${region}, the region of the stage`]);
  }
  if (alarmTopicArn !== undefined && alarmTopicArn.split(':')[3] !== region) {
    problems.push(['alarmTopicArn', `must be of a topic in ${region}, the region of the stage`]);
  }
  if (tables.vehicles !== undefined && tables.vehicles === tables.compliance) {
    problems.push(['tables.compliance', 'must be another table than tables.vehicles']);
  }
  return [...problems, ...intakeConflicts(intake)];
};

/** Everything that is wrong with the settings of a stage, as phrases that begin with the field; empty when they are valid. */
export const stageFileProblems = (stage: string, value: unknown): string[] => {
  if (!isRecord(value)) return ['must be an object'];
  const invalid = invalidFields(value);
  const others = invalid.length > 0 ? [] : conflicts(stage, value as StageFile);
  return [...unknownFields(StageFile, value), ...invalid, ...others].map((parts) => parts.join(' '));
};
