import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { forbidden, LAYERS, PRODUCT_FOLDERS } from './import-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = [...PRODUCT_FOLDERS, 'client/src'];
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

const sourceFiles = PRODUCT_FOLDERS.flatMap((folder) =>
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
  const planted: [rule: string, files: Record<string, string>][] = [
    ['no circular imports', { 'lib/a.ts': "import './b.ts';", 'lib/b.ts': "import './a.ts';\nexport const b = 1;" }],
    [
      'no circular folders',
      {
        ...oneImport('lib/a/one.ts', '../b/one.ts', 'lib/b/one.ts'),
        ...oneImport('lib/b/two.ts', '../a/two.ts', 'lib/a/two.ts'),
      },
    ],
    ['the product imports nothing of other folders', oneImport('lib/a.ts', '../shared/b.ts', 'shared/b.ts')],
    [
      'core/ imports nothing above it',
      { 'core/a/one.ts': "import type { B } from '../../functions/b.ts';", 'functions/b.ts': 'export interface B {}' },
    ],
    [
      'core/ knows no event, no middy and no CDK',
      oneImport('core/a/one.ts', '@middy/core', 'node_modules/@middy/core/index.js'),
    ],
    [
      'functions/ imports nothing of lib/, bin/ or client/',
      { 'functions/a/one.ts': "import type { B } from '../../lib/b.ts';", 'lib/b.ts': 'export interface B {}' },
    ],
    ['client/ imports nothing of the service', oneImport('client/src/a.ts', '../../lib/b.ts', 'lib/b.ts')],
    ['the library in client/ uses web standards only', { 'client/src/a.ts': "import 'node:fs';" }],
    [
      'lib/cloud imports only rows and declarations',
      oneImport('lib/cloud/stack.ts', '../../functions/http/serve.ts', 'functions/http/serve.ts'),
    ],
    [
      'lib/cloud imports only rows and declarations',
      oneImport('lib/cloud/stack.ts', '../../functions/endpoints/a/document.ts', 'functions/endpoints/a/document.ts'),
    ],
    [
      'lib/openapi imports only rows, declarations and documents',
      oneImport('lib/openapi/documents.ts', '../../functions/endpoints/a/input.ts', 'functions/endpoints/a/input.ts'),
    ],
    [
      'lib/openapi imports only rows, declarations and documents',
      oneImport('lib/openapi/document.ts', '../../core/content/item.ts', 'core/content/item.ts'),
    ],
    [
      'lib/admin imports core/, lib/content-maintenance and the outputs of the stack',
      oneImport('lib/admin/keys.ts', '../../functions/http/endpoint.ts', 'functions/http/endpoint.ts'),
    ],
    [
      'lib/content-maintenance imports core/ only',
      oneImport('lib/content-maintenance/check.ts', '../admin/keys.ts', 'lib/admin/keys.ts'),
    ],
    ['lib/ imports nothing of bin/', oneImport('lib/a.ts', '../bin/b.ts', 'bin/b.ts')],
    [
      'nobody imports a handler',
      oneImport('lib/local/gateway.ts', '../../functions/endpoints/a/handler.ts', 'functions/endpoints/a/handler.ts'),
    ],
    [
      'handlers look vehicles up through the sandbox',
      oneImport(
        'functions/endpoints/a/handler.ts',
        '../../../core/vehicles/vehicles-table.ts',
        'core/vehicles/vehicles-table.ts',
      ),
    ],
    [
      'an endpoint imports only the row and the input of its own folder',
      oneImport('functions/endpoints/a/handler.ts', '../b/endpoint.ts', 'functions/endpoints/b/endpoint.ts'),
    ],
    [
      'of functions only not-found imports the table of endpoints',
      oneImport('functions/http/serve.ts', '../endpoints/table.ts', 'functions/endpoints/table.ts'),
    ],
    [
      'the table of endpoints imports only rows',
      oneImport('functions/endpoints/table.ts', './a/input.ts', 'functions/endpoints/a/input.ts'),
    ],
    ['rows are plain data', oneImport('functions/endpoints/a/endpoint.ts', '../../../core/b.ts', 'core/b.ts')],
    [
      'no function bundles a document',
      oneImport('functions/endpoints/a/handler.ts', './document.ts', 'functions/endpoints/a/document.ts'),
    ],
    [
      'only input.ts of an endpoint loads the schema library for a function',
      oneImport('functions/http/serve.ts', './input.ts', 'functions/http/input.ts'),
    ],
    [
      'only input.ts of an endpoint loads the schema library for a function',
      oneImport('functions/endpoints/a/handler.ts', 'typebox', 'node_modules/typebox/index.js'),
    ],
    ['rules are pure', oneImport('core/compliance/verdict.ts', '../dynamodb/database.ts', 'core/dynamodb/database.ts')],
    ...Object.keys(LAYERS).map((folder): [string, Record<string, string>] => [
      `${folder} imports only what is below it`,
      oneImport(`${folder}/one.ts`, '../../core/other/one.ts', 'core/other/one.ts'),
    ]),
  ];

  it('are tested with a violation of each rule', () => {
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
  });

  it.each(planted)('are reported when they break a rule: %s', async (rule, files) => {
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

  const deployed = sourceFiles.filter((file) => /^(core|functions)\//.test(file));

  it('reads the environment in one file', () => {
    const readers = deployed.filter((file) => sourceOf(file).includes('process.env'));
    expect(readers).toEqual(['core/runtime/environment.ts']);
  });

  it('has error statuses only in functions/http and the error catalogue', () => {
    const status = /\b(status|statusCode)\b\s*:\s*[45]\d\d\b/;
    const knowing = deployed.filter((file) => status.test(sourceOf(file)));
    expect(knowing.filter((file) => !file.startsWith('functions/http/'))).toEqual(['core/problems.ts']);
  });
});
