import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
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

/** As `a rule: from → to`. */
const violationsIn = ({ summary }: ICruiseResult): string[] =>
  summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);

/** Rules that types do not break. */
const ONLY_VALUES = ['rows are plain data', 'rules are pure'];

/** A rule that is broken, by which import, and how the violation is reported if other than by the two files. */
type Planted = readonly [rule: string, from: string, to: string, violation?: string];

/** The violations in a project of these imports. */
const violationsOf = async (planted: readonly Planted[]): Promise<string[]> => {
  const project = await mkdtemp(join(tmpdir(), 'imports-'));
  const sources = new Map(planted.filter(([, , to]) => to.endsWith('.ts')).map(([, , to]) => [to, 'export {};\n']));
  for (const [rule, from, to] of planted) {
    const specifier = to.endsWith('.ts')
      ? `./${relative(dirname(from), to)}`
      : to.replace(/^node_modules\/|\/index\.js$/g, '');
    const statement = ONLY_VALUES.includes(rule) ? `import '${specifier}';` : `import type {} from '${specifier}';`;
    sources.set(from, `${sources.get(from) ?? ''}${statement}\n`);
    if (to.endsWith('.js')) sources.set(to, '');
  }
  try {
    for (const [path, source] of sources) {
      await mkdir(join(project, dirname(path)), { recursive: true });
      await writeFile(join(project, path), source);
    }
    return violationsIn(await cruised(project));
  } finally {
    await rm(project, { recursive: true });
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

  const HANDLER = 'functions/endpoints/a/handler.ts';
  const planted: readonly Planted[] = [
    ['no circular imports', 'lib/one.ts', 'lib/two.ts'],
    ['no circular imports', 'lib/two.ts', 'lib/one.ts', 'lib/one.ts → lib/two.ts'],
    ['no circular folders', 'lib/a/one.ts', 'lib/b/one.ts', 'lib/a → lib/b'],
    ['no circular folders', 'lib/b/two.ts', 'lib/a/two.ts', 'lib/b → lib/a'],
    ['the product imports nothing of other folders', 'lib/one.ts', 'shared/one.ts'],
    ['core/ imports nothing above it', 'core/a/one.ts', 'functions/one.ts'],
    ['core/ knows no event, no middy and no CDK', 'core/a/one.ts', 'node_modules/@middy/core/index.js'],
    ['functions/ imports nothing of lib/, bin/ or client/', 'functions/a/one.ts', 'lib/one.ts'],
    ['client/ imports nothing of the service', 'client/src/one.ts', 'lib/one.ts'],
    ['the library in client/ uses web standards only', 'client/src/one.ts', 'node:fs', 'client/src/one.ts → fs'],
    ['lib/cloud imports only rows and declarations', 'lib/cloud/stack.ts', 'functions/http/serve.ts'],
    ['lib/cloud imports only rows and declarations', 'lib/cloud/stack.ts', 'functions/endpoints/a/document.ts'],
    [
      'lib/openapi imports only rows, declarations and documents',
      'lib/openapi/one.ts',
      'functions/endpoints/a/input.ts',
    ],
    ['lib/openapi imports only rows, declarations and documents', 'lib/openapi/one.ts', 'core/content/item.ts'],
    [
      'lib/admin imports core/, lib/content-maintenance and the outputs of the stack',
      'lib/admin/keys.ts',
      'functions/http/endpoint.ts',
    ],
    ['lib/content-maintenance imports core/ only', 'lib/content-maintenance/check.ts', 'lib/admin/keys.ts'],
    ['lib/ imports nothing of bin/', 'lib/one.ts', 'bin/one.ts'],
    ['nobody imports a handler', 'lib/local/gateway.ts', HANDLER],
    ['handlers look vehicles up through the sandbox', HANDLER, 'core/vehicles/vehicles-table.ts'],
    ['an endpoint imports only the row and the input of its own folder', HANDLER, 'functions/endpoints/b/endpoint.ts'],
    [
      'of functions only not-found imports the table of endpoints',
      'functions/http/serve.ts',
      'functions/endpoints/table.ts',
    ],
    ['the table of endpoints imports only rows', 'functions/endpoints/table.ts', 'functions/endpoints/a/input.ts'],
    ['rows are plain data', 'functions/endpoints/a/endpoint.ts', 'core/a/one.ts'],
    ['no function bundles a document', HANDLER, 'functions/endpoints/a/document.ts'],
    [
      'only input.ts of an endpoint loads the schema library for a function',
      'functions/http/serve.ts',
      'functions/http/input.ts',
    ],
    ['only input.ts of an endpoint loads the schema library for a function', HANDLER, 'node_modules/typebox/index.js'],
    ['rules are pure', 'core/compliance/verdict.ts', 'core/dynamodb/database.ts'],
    ...Object.keys(LAYERS).map(
      (folder) => [`${folder} imports only what is below it`, `${folder}/one.ts`, 'core/other/one.ts'] as const,
    ),
  ];

  it('are reported when they break a rule, each of which is broken', async () => {
    const violations = await violationsOf(planted);
    const expected = planted.map(([rule, from, to, violation = `${from} → ${to}`]) => `${rule}: ${violation}`);
    expect(violations).toEqual(expect.arrayContaining(expected));
    expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
  });
});

describe('The product code', () => {
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
