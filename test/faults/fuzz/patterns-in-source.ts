/** Every regular expression that the service's source holds, read out of its syntax tree so that none is forgotten. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';
import { endpoints } from '../../../functions/endpoints.ts';

/** A regular expression and the file that it stands in. */
export interface FoundPattern {
  readonly source: string;
  readonly flags: string;
  readonly file: string;
}

/** What was found, and files that make an expression at run time, which nobody can judge from its text. */
export interface FoundPatterns {
  readonly patterns: readonly FoundPattern[];
  readonly madeAtRunTime: readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Every object in a tree, the tree itself included. */
function* nodesIn(value: unknown): Generator<Node> {
  if (!isNode(value)) return;
  yield value;
  for (const inner of Object.values(value)) yield* nodesIn(inner);
}

const makesPattern = ({ type, callee }: Node): boolean =>
  (type === 'NewExpression' || type === 'CallExpression') && isNode(callee) && callee.value === 'RegExp';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** All that reads what callers or operators write, and what bodies are parsed with. */
const READERS = ['functions/**/*.ts', 'lib/admin/**/*.ts', 'lib/local/gateway/**/*.ts'] as const;
const PARSERS = ['@middy/http-json-body-parser', '@middy/util'] as const;

const patternsInFile = (path: string): FoundPatterns => {
  const file = relative(ROOT, path);
  const syntax = path.endsWith('.ts') ? 'typescript' : 'ecmascript';
  const nodes = [...nodesIn(parseSync(readFileSync(path, 'utf8'), { syntax, target: 'es2024' }))];
  return {
    patterns: nodes
      .filter(({ type }) => type === 'RegExpLiteral')
      .map(({ pattern, flags }) => ({ source: String(pattern), flags: String(flags), file })),
    madeAtRunTime: nodes.some(makesPattern) ? [file] : [],
  };
};

/** What the schemas of requests and answers hold; validators read them as Unicode. */
const schemaPatterns = (): FoundPattern[] =>
  [...nodesIn(endpoints)].flatMap(({ pattern }) =>
    typeof pattern === 'string' ? [{ source: pattern, flags: 'u', file: 'functions/endpoints.ts' }] : [],
  );

/** Each expression once. */
export const patternsInSource = (): FoundPatterns => {
  const files = [
    ...READERS.flatMap((glob) => globSync(glob, { cwd: ROOT }).map((file) => join(ROOT, file))),
    ...PARSERS.map((name) => fileURLToPath(import.meta.resolve(name))),
  ];
  const found = files.map(patternsInFile);
  const all = [...found.flatMap(({ patterns }) => patterns), ...schemaPatterns()];
  return {
    patterns: [...new Map(all.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern])).values()],
    madeAtRunTime: found.flatMap(({ madeAtRunTime }) => madeAtRunTime),
  };
};
