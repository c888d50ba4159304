import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PRODUCT_FOLDERS } from './import-rules.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const { include } = JSON.parse(textOf('tsconfig.json')) as { include: string[] };
const { watch } = JSON.parse(textOf('cdk.json')) as { watch: { include: string[] } };
const biome = JSON.parse(textOf('biome.json')) as { files: { includes: string[] } };
const stryker = JSON.parse(textOf('test/mutation/stryker.config.json')) as {
  mutate: string[];
  ignorePatterns: string[];
};
const { default: jest } = (await import(join(ROOT, 'jest.config.js'))) as {
  default: { collectCoverageFrom: string[] };
};
const structure = textOf('README.md').split('## Project structure')[1] ?? '';

/** Whether an entry of a list is the folder or begins in it. */
const names = (list: readonly string[], folder: string): boolean =>
  list.some((entry) => entry === folder || entry.startsWith(`${folder}/`));

describe('Every product folder is in the lists that name folders', () => {
  describe.each(PRODUCT_FOLDERS)('%s', (folder) => {
    it('is type-checked', () => expect(names(include, folder)).toBe(true));

    it('is watched by cdk watch', () => expect(names(watch.include, folder)).toBe(true));

    it('is linted', () => {
      expect(biome.files.includes).toContain('**');
      expect(names(biome.files.includes, `!${folder}`)).toBe(false);
    });

    it('is in the structure of README', () => expect(structure).toMatch(new RegExp(`^${folder}/`, 'm')));
  });

  // Processes of their own run bin/: Jest cannot measure it, and no rule is in it.
  describe.each(PRODUCT_FOLDERS.filter((folder) => folder !== 'bin'))('%s', (folder) => {
    it('is in the coverage', () => expect(names(jest.collectCoverageFrom, folder)).toBe(true));

    it('is in the sandbox of the mutation tests', () =>
      expect(names(stryker.ignorePatterns, `!/${folder}`)).toBe(true));
  });

  it.each(['core', 'functions'])('%s has files that are mutated', (folder) =>
    expect(names(stryker.mutate, folder)).toBe(true),
  );
});
