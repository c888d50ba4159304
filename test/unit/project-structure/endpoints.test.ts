import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../../functions/endpoints/table.ts';
import { dateInput } from '../../../functions/endpoints/vehicle-insurance/date-input.ts';
import type { Endpoint } from '../../../functions/http/endpoint-definition.ts';
import type { InputSchemas } from '../../../functions/http/input.ts';
import { noInput } from '../../../functions/http/validation.ts';
import { documents } from '../../../openapi/endpoint-documents.ts';

const FOLDER = resolve(import.meta.dirname, '../../../functions/endpoints');

const ids = Object.keys(endpoints) as EndpointId[];

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const document = (name: string) => read(`docs/${name}.md`);

it.each(ids)('An endpoint documents the input that it reads, and no other: %s', async (id) => {
  const file = join(FOLDER, id, 'input.ts');
  const { query, headers, body }: InputSchemas = documents[id];
  if (existsSync(file)) {
    const { input } = (await import(file)) as { input: { schemas: InputSchemas } };
    expect({ query, headers, body }).toMatchObject(input.schemas);
  } else {
    // The one input without a schema.
    const { query: names } = id === 'vehicle-insurance' ? dateInput : noInput;
    expect(Object.keys(query?.properties ?? {})).toEqual(names);
    expect(headers).toBeUndefined();
    expect(body).toBeUndefined();
  }
});

it.each(ids)('An endpoint is in the documents that CONTRIBUTING.md names: %s', (id) => {
  const { method, paths } = endpoints[id];
  const isReleased = read('docs/released/promises.txt').includes(`${method} ${paths[0]} `);
  const texts = {
    'README.md': read('README.md'),
    'the contract': document('contract'),
    ...(!isReleased && {
      'the newest section of docs/changelog.md': read('docs/changelog.md').split(/^## /m)[1] ?? '',
    }),
  };
  // Some documents leave out the `/v1` of their paths.
  const path = paths[0].replace(/^\/v1/, '');
  const missing = Object.entries(texts).filter(([, text]) => !text.includes(path));
  expect(missing.map(([file]) => `${file} does not mention ${path}`)).toEqual([]);
});

it.each(ids)('The contract has the scope of an endpoint: %s', (id) => {
  const { method, paths, scope }: Endpoint = endpoints[id];
  const row = document('contract')
    .split('\n')
    .find((line) => line.startsWith('|') && line.includes(`\`${method} ${paths[0]}\``));
  expect(row).toContain(scope === undefined ? '| none |' : `| \`${scope}\` |`);
});
