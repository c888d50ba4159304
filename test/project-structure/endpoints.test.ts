import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { InputSchemas } from '../../functions/http/input.ts';
import { fileOf } from '../../lib/endpoint-files.ts';
import { documents } from '../../lib/openapi/endpoint-documents.ts';
import { runCommand } from '../support/run-command.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = 'functions/endpoints';

const ids = Object.keys(endpoints) as EndpointId[];

it.each(ids)('An endpoint documents the input that it reads, and no other: %s', async (id) => {
  const file = join(ROOT, FOLDER, id, 'input.ts');
  const { query, headers, body }: InputSchemas = documents[id];
  if (existsSync(file)) {
    const { input } = (await import(file)) as { input: { schemas: InputSchemas } };
    expect({ query, headers, body }).toMatchObject(input.schemas);
  } else expect([query, headers, body]).toEqual([undefined, undefined, undefined]);
});

describe('A new endpoint', () => {
  let copy: string;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'endpoints-'));
    for (const path of ['bin', 'core', 'functions', 'lib', 'package.json']) {
      await cp(join(ROOT, path), join(copy, path), { recursive: true });
    }
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    await mkdir(join(copy, FOLDER, 'forgotten'));
  });
  afterAll(() => rm(copy, { recursive: true }));

  it('without a line in the table is named by `npm run openapi`', async () => {
    await expect(runCommand(process.execPath, ['bin/openapi.ts'], { cwd: copy })).rejects.toThrow(
      'Error: endpoint forgotten is not in functions/endpoints/table.ts: add its line',
    );
  });

  it('without one of its files is named with the file to write', () => {
    expect(() => fileOf('not-found', 'document.ts')).toThrow(
      'endpoint not-found has no document.ts: write functions/not-found/document.ts',
    );
  });
});
