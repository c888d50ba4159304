/** The validation of a stage's settings file. */
import type { TObject } from 'typebox';
import * as T from 'typebox';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { StageFile } from './stage-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A field, such as `domain.name`, and what is wrong with it. */
type FieldProblem = readonly [field: string, problem: string];

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unknownFields = ({ properties }: TObject, value: Fields, prefix = ''): FieldProblem[] =>
  Object.entries(value).flatMap(([name, inner]): FieldProblem[] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) return [[`${prefix}${name}`, 'is not a setting']];
    return T.IsObject(known) && isRecord(inner) ? unknownFields(known, inner, `${prefix}${name}.`) : [];
  });

const invalidFields = (value: Fields): FieldProblem[] =>
  validationIssues(StageFile, value).map(({ pointer, detail }) => [pointer.slice(1).replaceAll('/', '.'), detail]);

/** Matches `prod-eu`, but not `product`. */
const PRODUCTION = /(^|-)(prod|production|prd|live)(-|$)/;

/** The rules between fields that are valid by themselves. */
const conflicts = (
  stage: string,
  { region, keepsData, domain, alarmTopicArn, tables = {} }: StageFile,
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
  return problems;
};

/** Everything that is wrong with the settings of a stage, as phrases that begin with the field; empty when they are valid. */
export const stageFileProblems = (stage: string, value: unknown): string[] => {
  if (!isRecord(value)) return ['must be an object'];
  const invalid = invalidFields(value);
  const others = invalid.length > 0 ? [] : conflicts(stage, value as StageFile);
  return [...unknownFields(StageFile, value), ...invalid, ...others].map((parts) => parts.join(' '));
};
