import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Biome formats code to this width, but not comments. */
const WIDTH = 120;
const GENERATED = ['client/src/api-types.ts'];
const FILES = [
  '{bench,bin,client,core,docs,functions,lib,site,stages,test}/**/*.{ts,js,cjs}',
  '{.ci/*,.github/**/*.yml,*.js}',
];

it(`Comments are at most ${WIDTH} characters wide`, () => {
  const files = globSync(FILES, { exclude: (path) => /node_modules|cdk\.out|dist/.test(path) });
  const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');
  const isTooWide = (line: string) => line.length > WIDTH && /^ *(\/\/|\/?\*|#)/.test(line);
  const tooWide = files
    .filter((file) => !GENERATED.includes(file))
    .flatMap((file) => linesOf(file).flatMap((line, index) => (isTooWide(line) ? [`${file}:${index + 1}`] : [])));
  expect(files.length).toBeGreaterThan(200);
  expect(tooWide).toEqual([]);
});
