import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { InputSchemas } from '../../functions/http/input.ts';
import { documents } from '../../lib/openapi/endpoint-documents.ts';

const FOLDER = resolve(import.meta.dirname, '../../functions/endpoints');

const ids = Object.keys(endpoints) as EndpointId[];

it.each(ids)('An endpoint documents the input that it reads, and no other: %s', async (id) => {
  const file = join(FOLDER, id, 'input.ts');
  const { query, headers, body }: InputSchemas = documents[id];
  if (existsSync(file)) {
    const { input } = (await import(file)) as { input: { schemas: InputSchemas } };
    expect({ query, headers, body }).toMatchObject(input.schemas);
  } else expect([query, headers, body]).toEqual([undefined, undefined, undefined]);
});
