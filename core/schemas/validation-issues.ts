import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { MAX_ISSUES, type PointerIssue } from '../problems.ts';

/** One more than a response names, so that the response can say that issues are left out. */
const MAX_COUNTED = MAX_ISSUES + 1;
// Besides an error for each unknown field there is one that lists them all.
Settings.Set({ maxErrors: MAX_COUNTED + 1 });

type SchemaError = ReturnType<typeof Errors>[1][number];

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  object: 'an object',
  array: 'an array',
};

/** The value at a JSON Pointer in a document, or at a schema path in a schema. */
const at = (root: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], root);

interface TextRules {
  readonly description?: string;
  readonly '~refine'?: readonly { check(value: unknown): boolean; error(value: unknown): string }[];
}

const ruleDetail = (schema: TextRules, value: unknown): string | undefined =>
  schema['~refine']?.find(({ check }) => !check(value))?.error(value);

/** The message of the schema's own rule, otherwise its description: both are clearer than a pattern. */
const textDetail = (schema: TextRules, value: unknown, message: string): string =>
  ruleDetail(schema, value) ?? (schema.description ? `must be ${schema.description}` : message);

const explain = (schema: TSchema, value: unknown, error: SchemaError): PointerIssue[] => {
  const { keyword, instancePath: pointer, schemaPath, message } = error;
  const params = error.params as Record<string, unknown>;
  const rules: TextRules = at(schema, schemaPath) ?? {};
  const here = (detail: string): PointerIssue[] => [{ pointer, detail }];
  const properties = (name: string) => (params[name] as string[]).map((property) => `${pointer}/${escaped(property)}`);
  switch (keyword) {
    case 'required':
      return properties('requiredProperties').map((at) => ({ pointer: at, detail: 'is required' }));
    case 'dependentRequired':
      return properties('dependencies').map((at) => ({ pointer: at, detail: `is required with ${params.property}` }));
    case 'additionalProperties':
      return [];
    case 'boolean':
      return here('is not a field of this request');
    case 'type':
      return here(`must be ${ARTICLES[String(params.type)] ?? String(params.type)}`);
    case 'minimum':
      return here(`must be at least ${params.limit}`);
    case 'maximum':
      return here(ruleDetail(rules, at(value, pointer)) ?? `must be at most ${params.limit}`);
    case 'minItems':
      return here(`must have ${params.limit} or more entries`);
    case 'format':
    case 'pattern':
    case 'maxLength':
      return here(textDetail(rules, at(value, pointer), message));
    default:
      return here(message);
  }
};

const differsFromPrevious = (
  { pointer, detail }: PointerIssue,
  index: number,
  all: readonly PointerIssue[],
): boolean => {
  const previous = all[index - 1];
  return previous?.pointer !== pointer || previous.detail !== detail;
};

/** The validation issues of a value, at most `MAX_ISSUES` and one more; none only when the value is valid. */
export const validationIssues = (schema: TSchema, value: unknown): PointerIssue[] => {
  if (Check(schema, value)) return [];
  const [, errors] = Errors(schema, value);
  // A string that is both too long and of the wrong form has one issue.
  const issues = errors.flatMap((error) => explain(schema, value, error)).filter(differsFromPrevious);
  return issues.length > 0
    ? issues.slice(0, MAX_COUNTED)
    : [{ pointer: '', detail: 'does not have the required form' }];
};
