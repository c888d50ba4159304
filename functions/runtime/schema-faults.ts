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
    case 'additionalProperties':
      return properties('additionalProperties').map((at) => ({
        pointer: at,
        detail: 'is not a field of this request',
      }));
    case 'boolean':
      // Says of each additional property what `additionalProperties` says of all of them.
      return [];
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

/** Every way in which a value does not fit a schema; none when it fits. */
export const faultsIn = (schema: TSchema, value: unknown): Located[] => {
  if (Check(schema, value)) return [];
  const [, errors] = Errors(schema, value);
  return errors.flatMap((error) => explain(schema, error)).slice(0, MAX_FAULTS);
};
