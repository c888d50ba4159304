import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('The package in client/', () => {
  it('has the types that are generated from the OpenAPI document', () => {
    expect(textOf('client/src/api-types.ts')).toBe(textOf('docs/api-types.ts'));
  });

  it('has no dependencies, and a lock file without registry addresses', () => {
    expect(JSON.parse(textOf('client/package.json'))).not.toHaveProperty('dependencies');
    expect(textOf('client/package-lock.json')).not.toContain('"resolved"');
  });
});
