/** docs/ordered.md names the test of each rule by its title. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const tests = globSync('test/**/*{.test,-tests}.ts', { cwd: ROOT }).map(read);

/** Whether a test file has these titles, each as the first argument of `describe`, `it` or their `each`. */
const isInOneFile = (titles: readonly string[]): boolean =>
  tests.some((text) =>
    titles.every((title) =>
      ["'", '`'].some((quote) => new RegExp(`[(\\s]${RegExp.escape(quote + title + quote)},`).test(text)),
    ),
  );

/** The rows of the table: number, rule, tests. */
const rules = read('docs/ordered.md')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| ?| ?\|$/g, '')));

/** Titles of tests, which stand in backquotes. */
const titlesIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title);

describe('docs/ordered.md', () => {
  it('names a test for each rule', () => {
    const withoutTest = rules.filter(([, , cell]) => titlesIn(cell).length === 0).map(([number]) => number);
    expect(rules.length).toBeGreaterThan(20);
    expect(withoutTest).toEqual([]);
  });

  it('names tests that there are', () => {
    const titles = rules.flatMap(([, , cell]) => titlesIn(cell));
    expect(titles.filter((title) => !isInOneFile(title.split(' › ')))).toEqual([]);
  });
});
