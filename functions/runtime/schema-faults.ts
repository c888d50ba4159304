import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';

/** A fault and where it is, as a JSON Pointer (RFC 6901). */
export interface Located {
  readonly pointer: string;
  readonly detail: string;
}

/** Enough to name every fault of the largest bulk request; a bound, so that no request buys an endless answer. */
const MAX_FAULTS = 1_000;
Settings.Set({ maxErrors: MAX_FAULTS });

type SchemaError = ReturnType<typeof Errors>[1][number];

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  object: 'an object',
  array: 'an array',
};

/** The schema that an error speaks of, for its description. */
const schemaAt = (schema: TSchema, path: string): { description?: string } => {
  const steps = path.split('/').slice(1);
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], schema) ?? {};
};

const explain = (schema: TSchema, error: SchemaError): Located[] => {
  const { keyword, instancePath: pointer, schemaPath, message } = error;
  const params = error.params as Record<string, unknown>;
  const properties = (name: string) => (params[name] as string[]).map((property) => `${pointer}/${escaped(property)}`);
  switch (keyword) {
    case 'required':
      return properties('requiredProperties').map((at) => ({ pointer: at, detail: 'is required' }));
    case 'dependentRequired':
      return (params.dependencies as string[]).map((property) => ({
        pointer: `${pointer}/${escaped(property)}`,
        detail: `is required with ${String(params.property)}`,
      }));
    case 'type':
      return [{ pointer, detail: `must be ${ARTICLES[String(params.type)] ?? String(params.type)}` }];
    case 'pattern': {
      const { description } = schemaAt(schema, schemaPath);
      return [{ pointer, detail: description ? `must be ${description}` : message }];
    }
    default:
      return [{ pointer, detail: message }];
  }
};

/**
 * The fields of a request apart from those that its schema does not name. Done before the validator looks: it reports
 * an error for each unknown field, and enough of them would use up its bound and hide every other fault.
 */
const withoutUnknown = (schema: TSchema, value: unknown): { known: unknown; unknown: string[] } => {
  const { properties, additionalProperties } = schema as { properties?: object; additionalProperties?: unknown };
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (properties === undefined || additionalProperties !== false || !isRecord) return { known: value, unknown: [] };
  const isKnown = ([name]: [string, unknown]) => Object.hasOwn(properties, name);
  const fields = Object.entries(value);
  return {
    known: Object.fromEntries(fields.filter(isKnown)),
    unknown: fields.filter((field) => !isKnown(field)).map(([name]) => name),
  };
};

/** Every way in which a value does not fit a schema, up to a bound; none only when it fits. */
export const faultsIn = (schema: TSchema, value: unknown): Located[] => {
  if (Check(schema, value)) return [];
  const { known, unknown } = withoutUnknown(schema, value);
  const [, errors] = Errors(schema, known);
  const faults = [
    ...errors.flatMap((error) => explain(schema, error)),
    ...unknown.map((name) => ({ pointer: `/${escaped(name)}`, detail: 'is not a field of this request' })),
  ];
  return faults.length > 0 ? faults.slice(0, MAX_FAULTS) : [{ pointer: '', detail: 'does not have the required form' }];
};
