import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { strictDocument } from '../../lib/openapi/strict-document.ts';

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The package in client/', () => {
  it('has the types of the strict form of the OpenAPI document, in which entries of a bulk response are narrowed', () => {
    const { schemas } = strictDocument().components as { readonly schemas: object };
    const types = textOf('client/src/api-types.ts').matchAll(/^export type (\w+) = components\['schemas'\]/gm);
    expect([...types].map(([, name]) => name).sort()).toEqual(Object.keys(schemas).sort());
    expect(Object.keys(schemas)).toContain('BulkFailure');
  });

  it('has no dependencies, and a lock file without registry addresses', () => {
    expect(JSON.parse(textOf('client/package.json'))).not.toHaveProperty('dependencies');
    expect(textOf('client/package-lock.json')).not.toContain('"resolved"');
  });
});
