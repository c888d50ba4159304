import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { forbidden, LAYERS, PRODUCT_FOLDERS, PURE_RULES } from './import-rules.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** With fewer modules than this, the rules have read only a part of the product. */
const LEAST_MODULES = 200;

describe('Imports', () => {
  let result: ICruiseResult;
  beforeAll(async () => {
    const { output } = await cruise([...PRODUCT_FOLDERS, 'client/src'], {
      baseDir: ROOT,
      // It does not read TypeScript 7.
      parser: 'swc',
      tsPreCompilationDeps: 'specify',
      doNotFollow: { path: 'node_modules' },
      validate: true,
      ruleSet: { forbidden },
    });
    result = output as ICruiseResult;
  });

  it('follow the rules', () => {
    const { totalCruised, violations } = result.summary;
    expect(totalCruised).toBeGreaterThan(LEAST_MODULES);
    expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
  });

  interface Paths {
    readonly path?: string | readonly string[];
    readonly pathNot?: string | readonly string[];
  }

  // Otherwise a folder that is renamed, or an exception that is too wide, would end a rule.
  it.each(forbidden)('could break the rule: $name', ({ from, to }) => {
    const modules = result.modules.map(({ source }) => source);
    const isIn = (paths: Paths['path'] = [], source: string) =>
      // An exception for the folder of the importing file is none for others.
      [paths].flat().some((path) => new RegExp(path.replaceAll('$1', 'another')).test(source));
    const concerned = ({ path = '', pathNot }: Paths) =>
      modules.filter((source) => isIn(path, source) && !isIn(pathNot, source));
    expect(concerned(from as Paths)).not.toEqual([]);
    expect(concerned(to as Paths)).not.toEqual([]);
  });
});

const sourceOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (...folders: readonly string[]) =>
  folders.flatMap((name) => globSync(`${name}/**/*.ts`, { cwd: ROOT }));

it('Each folder of core/ has a layer', () => {
  const folders = globSync('core/*/', { cwd: ROOT });
  expect(Object.keys(LAYERS)).toEqual(expect.arrayContaining(folders));
});

it('Rules read no clock', () => {
  const rules = filesIn('core').filter((file) => new RegExp(PURE_RULES).test(file));
  expect(rules.length).toBeGreaterThanOrEqual(10);
  expect(rules.filter((file) => /Date\.now|new Date\(\)|performance\.now/.test(sourceOf(file)))).toEqual([]);
});

it('The deployed code reads the environment in one file', () => {
  const readers = filesIn('core', 'functions', 'admin/intake').filter((file) => sourceOf(file).includes('process.env'));
  expect(readers).toEqual(['core/runtime/environment.ts']);
});

describe('Of the tests', () => {
  /** Each file with the files of the tests that it imports. */
  const imports = filesIn('test', 'bench').flatMap((file) =>
    [...sourceOf(file).matchAll(/^(?:import|export|\}).* ?'(\.[^']+)';$/gm)]
      .map(([, path = '']) => [file, join(dirname(file), path)] as const)
      .filter(([, imported]) => imported.startsWith('test/')),
  );

  it('support imports nothing else, and a file that Jest runs is imported by nobody', () => {
    const isRun = (file: string) => file.endsWith('.test.ts');
    const wrong = imports.filter(
      ([file, imported]) =>
        isRun(imported) || (file.startsWith('test/support/') && !imported.startsWith('test/support/')),
    );
    expect(wrong).toEqual([]);
    expect(imports.length).toBeGreaterThan(300);
  });

  it('only files *.test.ts and black-box/*-tests.ts contain any', () => {
    const suites = filesIn('test').filter((file) => /^ *(it|describe)(\.\w+)?\(/m.test(sourceOf(file)));
    expect(suites.filter((file) => !/\.test\.ts$|^test\/black-box\/.*-tests\.ts$/.test(file))).toEqual([]);
  });
});
