import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { checkSync } from 'recheck';
import { documents } from '../../openapi/endpoint-documents.ts';

// In this process: the other ways need Java or a platform's binary.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/**
 * The same search in every run: its steps are limited by their number, not by their time, which a busy machine would
 * take for an attack's. Only an expression as a whole has milliseconds.
 */
const parameters = {
  timeout: 300_000,
  randomSeed: 1,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** All that reads what others write, also the client, and the parser of bodies with the package that it imports. */
const READERS = [
  'core/**/*.ts',
  'csv/**/*.ts',
  'functions/**/*.ts',
  'admin/**/*.ts',
  'local/gateway/**/*.ts',
  'client/src/**/*.ts',
];
const PARSERS = ['@middy/http-json-body-parser', '@middy/util'];
const FILES = [
  ...READERS.flatMap((glob) => globSync(glob, { cwd: ROOT }).map((file) => join(ROOT, file))),
  ...PARSERS.map((name) => fileURLToPath(import.meta.resolve(name))),
];

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function* nodesIn(value: unknown): Generator<Node> {
  if (!isNode(value)) return;
  yield value;
  for (const inner of Object.values(value)) yield* nodesIn(inner);
}

const nodes = FILES.flatMap((path) => {
  const syntax = path.endsWith('.ts') ? 'typescript' : 'ecmascript';
  const tree = parseSync(readFileSync(path, 'utf8'), { syntax, target: 'es2024' });
  return [...nodesIn(tree)].map((node) => ({ node, file: relative(ROOT, path) }));
});
/** Parts of these expressions have names. They are made as the files are loaded, and read from there. */
const WITH_NAMES = ['csv/registration-cell.ts'];
const madeOnLoad = async (file: string) => {
  const made: { readonly source: string; readonly flags: string; readonly file: string }[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, [source, flags = '']) => {
      made.push({ source, flags, file });
      return new target(source, flags);
    },
  });
  await import(join(ROOT, file));
  globalThis.RegExp = original;
  return made;
};
const withNames = (await Promise.all(WITH_NAMES.map(madeOnLoad))).flat();
const literals = nodes.flatMap(({ node: { type, pattern, flags }, file }) =>
  type === 'RegExpLiteral' ? [{ source: String(pattern), flags: String(flags), file }] : [],
);
/** Validators read the patterns of schemas as Unicode. */
const inSchemas = [...nodesIn(documents)].flatMap(({ pattern }) =>
  typeof pattern === 'string' ? [{ source: pattern, flags: 'u', file: 'documents' }] : [],
);
const patterns = [
  ...new Map([...literals, ...withNames, ...inSchemas].map((each) => [`${each.source} ${each.flags}`, each])).values(),
];

/** Patterns of schemas, of the body parser and of all code that reads texts of callers, operators and offices. */
describe('Regular expressions', () => {
  it('are not made where this test could not read them', () => {
    const isMade = ({ type, callee }: Node) =>
      (type === 'NewExpression' || type === 'CallExpression') && isNode(callee) && callee.value === 'RegExp';
    expect(patterns.length).toBeGreaterThan(20);
    const found = nodes.filter(({ node }) => isMade(node)).map(({ file }) => file);
    expect([...new Set(found)]).toEqual(WITH_NAMES);
    expect(withNames).toHaveLength(found.length);
  });

  it.each(patterns)('take linear time: /$source/$flags of $file', ({ source, flags }) => {
    expect(checkSync(source, flags, parameters)).toMatchObject({ status: 'safe' });
  });
});
