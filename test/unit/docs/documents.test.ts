/** Every link and citation of documents and code leads to a section. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DOCUMENTS } from '../../../site/pages.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Left behind by other commands: `npm run site` copies the program of the reference to `site/public`. */
const exclude = ['**/{node_modules,dist,public}/**', relative(ROOT, import.meta.filename)];
const filesOf = (...patterns: readonly string[]) => globSync(patterns, { cwd: ROOT, exclude });

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const documents = filesOf('*.md', 'docs/*.md', '{client,examples}/README.md');
const code = filesOf(
  '*.js',
  '.{ci,github}/**/*{run,nightly,.yml}',
  '{admin,bench,bin,client,core,csv,functions,lib,local,openapi,site,test}/**/*.{ts,js,cjs,mjs}',
);

/** As GitHub makes the address of a heading: https://github.com/Flet/github-slugger. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const withoutCodeBlocks = (text: string): string => text.replace(/^```.*?^```$/gms, '');

/** The sections of a document: its headings, and its explicit anchors. */
const sectionsOf = (document: string): ReadonlySet<string> => {
  const text = withoutCodeBlocks(read(document));
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading));
  const anchors = [...text.matchAll(/<a id="(.+?)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...anchors]);
};

/** Why a citation leads nowhere, its file from the project's root. */
const problemsOfTarget = (file: string, section: string | undefined): string[] => {
  if (!existsSync(join(ROOT, file))) return [`${file} does not exist`];
  return section === undefined || sectionsOf(file).has(section) ? [] : [`${file} has no section #${section}`];
};

const CITATION = /\b((?:docs\/[\w-]+|client\/README|README|CONTRIBUTING|SECURITY)\.md)(?:#([\w-]+))?/g;

/** Citations in a text that lead nowhere; they are written `docs/contract.md#errors`. */
const problemsInCode = (text: string): string[] =>
  [...text.matchAll(CITATION)].flatMap(([, file = '', section]) => problemsOfTarget(file, section));

const LINK = /\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]+))?\)/g;

/** What is wrong with the links of a document and with what it cites beside them. */
const problemsInDocument = (document: string, text: string): string[] => {
  const prose = withoutCodeBlocks(text);
  const links = [...prose.matchAll(LINK)].filter(([, target = '']) => !/^https?:/.test(target));
  return [
    ...links.flatMap(([, target, section]) =>
      problemsOfTarget(target ? join(dirname(document), target) : document, section),
    ),
    ...problemsInCode(prose.replace(LINK, '')),
  ];
};

/** The documents of the site, which has no others. */
const published = ['client/README.md', ...Object.values(DOCUMENTS).map(({ file }) => file)];

it.each(published)('%s links only documents that the site has', (document) => {
  const links = [...withoutCodeBlocks(read(document)).matchAll(LINK)].map(([, target = '']) => target);
  const linked = links.filter((target) => !target.includes(':') && target.endsWith('.md'));
  expect(published).toEqual(expect.arrayContaining(linked.map((target) => join(dirname(document), target))));
});

describe('Every citation leads to a section', () => {
  it.each(documents)('of %s', (document) => expect(problemsInDocument(document, read(document))).toEqual([]));

  it('of all code', () => {
    const problems = code.flatMap((file) => problemsInCode(read(file)).map((problem) => `${file}: ${problem}`));
    expect(problems).toEqual([]);
    expect(code).toEqual(
      expect.arrayContaining(['core/problems.ts', 'lib/service-stack.ts', 'jest.config.js', '.ci/run']),
    );
  });
});
