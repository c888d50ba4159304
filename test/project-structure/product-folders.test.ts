import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { PRODUCT_FOLDERS } from './import-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const jsonOf = (file: string) => JSON.parse(textOf(file));
const { default: jest } = await import(join(ROOT, 'jest.config.js'));
const stryker = jsonOf('test/mutation/stryker.config.json');
const [, structure = ''] = textOf('README.md').split('## Project structure');

/** The folders in each list that names folders, with the prefix that they have there. */
const LISTS: Readonly<Record<string, readonly [list: readonly string[], prefix?: string]>> = {
  'tsconfig.json': [jsonOf('tsconfig.json').include],
  'cdk.json, for cdk watch': [jsonOf('cdk.json').watch.include],
  'the structure of README': [structure.split('\n')],
  // Processes of their own run bin/: Jest cannot measure it, and no rule is in it.
  'the coverage': [['bin', ...jest.collectCoverageFrom]],
  'the sandbox of the mutation tests': [['!/bin', ...stryker.ignorePatterns], '!/'],
};

/** Whether an entry of a list is the folder or begins in it. */
const names = (list: readonly string[], folder: string): boolean =>
  list.some((entry) => entry === folder || entry.startsWith(`${folder}/`));

it.each(Object.entries(LISTS))('Every product folder is in %s', (_name, [list, prefix = '']) => {
  expect(PRODUCT_FOLDERS.filter((folder) => !names(list, prefix + folder))).toEqual([]);
});

it('No product folder is left out of the linter, nor core/ and functions/ out of the mutation tests', () => {
  const { includes } = jsonOf('biome.json').files;
  expect(includes).toContain('**');
  expect(PRODUCT_FOLDERS.filter((folder) => names(includes, `!${folder}`))).toEqual([]);
  expect(['core', 'functions'].filter((folder) => !names(stryker.mutate, folder))).toEqual([]);
});
