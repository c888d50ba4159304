/** Whatever fits the strict form of the document fits the published one. */
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { isObject } from '../../lib/openapi/json.ts';
import { strictDocument } from '../../lib/openapi/strict-document.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const strict = strictDocument() as unknown as { readonly components: { readonly schemas: Record<string, Schema> } };
const published = openApiDocument();

/** The schema of every body in the document, in its order, which is the same in both forms. */
const bodiesIn = (node: unknown): Schema[] => {
  if (!isObject(node)) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key.startsWith('application/') ? (value as { readonly schema: Schema }).schema : bodiesIn(value),
  );
};

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const fitsIn = ({ components }: { readonly components?: unknown }, schema: Schema) =>
  ajv.compile({ ...schema, components });

const time = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('2099-12-31') })
  .map((date) => date.toISOString());
const texts = (schema: Schema): fc.Arbitrary<string> => {
  if (schema.format === 'date-time') return time;
  if (schema.format === 'json-pointer') return fc.constant('/registrations/3');
  if (schema.format === 'date') return time.map((instant) => instant.slice(0, 10));
  return schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : fc.string({ maxLength: 9 });
};

/** Values of a strict schema, of which a few do not fit: they miss a rule between fields. */
const valuesOf = (schema: Schema): fc.Arbitrary<unknown> => {
  const { $ref, anyOf, allOf, properties, required = [], items = {}, minItems = 0, minimum = 0 } = schema;
  if ($ref) return valuesOf(strict.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (anyOf) return fc.oneof(...anyOf.map(valuesOf));
  const own = fc.record(
    Object.fromEntries(Object.entries(properties ?? {}).map(([name, each]) => [name, valuesOf(each)])),
    {
      requiredKeys: required.filter((name) => properties && name in properties),
    },
  );
  if (allOf) return fc.tuple(own, ...allOf.map(valuesOf)).map((parts) => Object.assign({}, ...parts));
  switch (schema.type) {
    case 'object':
      return own;
    case 'array':
      return fc.array(valuesOf(items), { minLength: minItems, maxLength: schema.maxItems ?? minItems + 2 });
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({ min: minimum, max: schema.maximum ?? minimum + 999 });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constant(null);
  }
};

describe('A body that fits the strict form of the document', () => {
  const [held, shown] = [bodiesIn(strict), bodiesIn(published)];

  it('fits the published form', () => {
    expect([held.length > 40, held.length]).toEqual([true, shown.length]);
    for (const [index, schema] of held.entries()) {
      const [fitsStrict, fits] = [fitsIn(strict, schema), fitsIn(published, shown[index] ?? {})];
      const values = valuesOf(schema).filter((value) => fitsStrict(value));
      fc.assert(
        fc.property(values, (value) => fits(value)),
        { numRuns: 50 },
      );
    }
  });
});
