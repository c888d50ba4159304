import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { InputSchemas } from '../../functions/http/input.ts';
import { documents } from '../../lib/openapi/documents.ts';
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
  const write = (path: string, text: string) => writeFile(join(copy, path), text);

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'endpoints-'));
    for (const path of ['bin', 'core', 'functions', 'lib', 'package.json']) {
      await cp(join(ROOT, path), join(copy, path), { recursive: true });
    }
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    await mkdir(join(copy, 'docs'));
    await mkdir(join(copy, FOLDER, 'forgotten'));
    await write(
      `${FOLDER}/forgotten/endpoint.ts`,
      "export const endpoint = { id: 'forgotten', method: 'GET', paths: ['/v1/forgotten'], successStatus: 200, problems: [], tables: {} };",
    );
  });
  afterAll(() => rm(copy, { recursive: true }));

  /** What `npm run openapi` prints when it fails. */
  const failure = (): Promise<string> =>
    runCommand(process.execPath, ['bin/openapi.ts'], { cwd: copy }).then(
      () => 'no failure',
      (error: Error) => error.message,
    );

  it('has every forgotten part named by `npm run openapi`', async () => {
    expect(await failure()).toContain('Error: endpoint forgotten is not in functions/endpoints/table.ts: add its line');

    const table = await readFile(join(copy, FOLDER, 'table.ts'), 'utf8');
    await write(
      `${FOLDER}/table.ts`,
      `import { endpoint as forgotten } from './forgotten/endpoint.ts';\n${table.replace('  usage,\n', '  usage,\n  forgotten,\n')}`,
    );
    await write(`${FOLDER}/forgotten/document.ts`, "export const document = { description: '' };");
    const missing = 'Error: endpoint forgotten has no handler.ts: write functions/endpoints/forgotten/handler.ts';
    expect(await failure()).toContain(missing);
    await write(`${FOLDER}/forgotten/handler.ts`, 'export const handler = async () => ({ statusCode: 200 });');
    expect(await failure()).toContain(
      'Error: endpoint forgotten has no example request: write `examples` in functions/',
    );
  });
});
