import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { forbidden } from './import-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['functions', 'lib', 'bin', 'client/src'];
/** With fewer modules than this, the rules have read only a part of the product. */
const LEAST_MODULES = 200;

const cruised = async (baseDir: string): Promise<ICruiseResult> => {
  const { output } = await cruise(FOLDERS, {
    baseDir,
    // It does not read TypeScript 7.
    parser: 'swc',
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    validate: true,
    ruleSet: { forbidden },
  });
  return output as ICruiseResult;
};

const violationsIn = ({ summary }: ICruiseResult): string[] =>
  summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);

/** The violations in a project of these files alone. */
const violationsOf = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'imports-'));
  try {
    for (const path of FOLDERS) await mkdir(join(folder, path), { recursive: true });
    for (const [path, source] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), source);
    }
    return violationsIn(await cruised(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
};

const sourceFiles = ['bin', 'functions', 'lib'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const sourceOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('Imports', () => {
  it('follow the rules', async () => {
    const result = await cruised(ROOT);
    expect(result.summary.totalCruised).toBeGreaterThan(LEAST_MODULES);
    expect(violationsIn(result)).toEqual([]);
  });

  /** Two files, of which the first imports the second. */
  const oneImport = (from: string, specifier: string, to: string) => ({
    [from]: `import '${specifier}';`,
    [to]: 'export const imported = 1;',
  });
  it.each<[string, Record<string, string>]>([
    ['no circular imports', { 'lib/a.ts': "import './b.ts';", 'lib/b.ts': "import './a.ts';\nexport const b = 1;" }],
    [
      'no circular folders',
      {
        ...oneImport('lib/a/one.ts', '../b/one.ts', 'lib/b/one.ts'),
        ...oneImport('lib/b/two.ts', '../a/two.ts', 'lib/a/two.ts'),
      },
    ],
    [
      'functions/ imports nothing of lib/, bin/ or client/',
      { 'functions/a/one.ts': "import type { B } from '../../lib/b.ts';", 'lib/b.ts': 'export interface B {}' },
    ],
    ['client/ imports nothing of the service', oneImport('client/src/a.ts', '../../lib/b.ts', 'lib/b.ts')],
    ['the library in client/ uses web standards only', { 'client/src/a.ts': "import 'node:fs';" }],
    [
      'lib/cloud and lib/openapi import only declarations',
      oneImport('lib/cloud/stack.ts', '../../functions/handlers/read.ts', 'functions/handlers/read.ts'),
    ],
    [
      'handlers look vehicles up through the sandbox',
      oneImport('functions/handlers/read.ts', '../vehicles/vehicles-table.ts', 'functions/vehicles/vehicles-table.ts'),
    ],
    [
      'only handlers and middleware import the table of endpoints',
      oneImport('functions/content/address.ts', '../endpoints.ts', 'functions/endpoints.ts'),
    ],
    [
      'functions/access imports only what is below it',
      oneImport('functions/access/key.ts', '../content/item.ts', 'functions/content/item.ts'),
    ],
    [
      'rules are pure',
      oneImport('functions/compliance/verdict.ts', '../dynamodb/database.ts', 'functions/dynamodb/database.ts'),
    ],
  ])('are reported when they break a rule: %s', async (rule, files) => {
    const violations = await violationsOf(files);
    expect(violations.some((violation) => violation.startsWith(`${rule}: `))).toBe(true);
  });
});

describe('The product code', () => {
  it('imports every package that it must be built on', () => {
    const sources = sourceFiles.map(sourceOf);
    const given = [
      '@aws-sdk/client-dynamodb',
      '@aws-sdk/lib-dynamodb',
      '@middy/core',
      '@middy/http-json-body-parser',
      'aws-cdk-lib',
      'constructs',
    ];
    for (const name of given) {
      expect(sources.some((source) => new RegExp(`from '${name}(/[^']+)?'`).test(source))).toBe(true);
    }
  });

  it('reads the environment of functions in one file', () => {
    const readers = sourceFiles.filter((file) => sourceOf(file).includes('process.env'));
    expect(readers.filter((file) => file.startsWith('functions/'))).toEqual(['functions/runtime/environment.ts']);
  });

  it('has error statuses only in the middleware and the error catalogue', () => {
    const status = /\b(status|statusCode)\b\s*:\s*[45]\d\d\b/;
    const knowing = sourceFiles.filter((file) => file.startsWith('functions/') && status.test(sourceOf(file)));
    expect(knowing.filter((file) => !file.startsWith('functions/middleware/'))).toEqual(['functions/problems.ts']);
  });
});
