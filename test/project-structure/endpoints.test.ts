import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { InputSchemas } from '../../functions/http/input.ts';
import { fileOf } from '../../lib/endpoint-files.ts';
import { documents } from '../../lib/openapi/documents.ts';

const FOLDER = resolve(import.meta.dirname, '../../functions/endpoints');

const folders = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const ids = Object.keys(endpoints) as EndpointId[];
const withInput = ids.filter((id) => existsSync(join(FOLDER, id, 'input.ts')));

describe('The endpoints', () => {
  it('are the folders beside the table', () => {
    const missing = folders.filter((name) => !ids.includes(name as EndpointId));
    expect(missing.map((name) => `endpoint ${name} has no line in table.ts`)).toEqual([]);
    const misnamed = ids.filter((id) => !folders.includes(id));
    expect(misnamed.map((id) => `endpoint ${id} has no folder of its name`)).toEqual([]);
  });

  it.each(ids)('have a handler and a document: %s', (id) => {
    expect(fileOf(id, 'handler.ts')).toBe(join(FOLDER, id, 'handler.ts'));
    expect(fileOf(id, 'document.ts')).toBe(join(FOLDER, id, 'document.ts'));
  });

  it('are named where they have none', () => {
    expect(() => fileOf('mot' as EndpointId, 'handler.ts')).toThrow(
      'endpoint mot has no handler.ts: write functions/endpoints/mot/handler.ts',
    );
  });

  it.each(withInput)('document what they read: %s', async (id) => {
    const { input } = (await import(join(FOLDER, id, 'input.ts'))) as { input: { schemas: InputSchemas } };
    expect(documents[id]).toMatchObject(input.schemas);
  });

  it.each(ids.filter((id) => !withInput.includes(id)))('document no input that they do not read: %s', (id) => {
    const { query, headers, body }: InputSchemas = documents[id];
    expect([query, headers, body]).toEqual([undefined, undefined, undefined]);
  });
});
