/** docs/ordered.md names the test of each rule by its title. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const tests = globSync('test/**/*{.test,.suite,-tests}.ts', { cwd: ROOT }).map(read);

/** Whether a test file has these titles, each as the first argument of `describe`, `it` or their `each`. */
const isInOneFile = (titles: readonly string[]): boolean =>
  tests.some((text) =>
    titles.every((title) =>
      ["'", '`'].some((quote) => new RegExp(`[(\\s]${RegExp.escape(quote + title + quote)},`).test(text)),
    ),
  );

/** The rows of the table: number, rule, endpoint, tests. */
const rules = read('docs/ordered.md')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| ?| ?\|$/g, '')));

it('docs/ordered.md names a test for each rule, and each title is one of a test', () => {
  expect(rules.length).toBeGreaterThan(30);
  for (const [number, rule, , cell = ''] of rules) {
    const titles = [...cell.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title);
    // What was left open has no test.
    expect([number, titles.length > 0]).toEqual([number, !rule?.endsWith('(not shown)')]);
    expect(titles.filter((title) => !isInOneFile(title.split(' › ')))).toEqual([]);
  }
});
