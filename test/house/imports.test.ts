import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../..');

const sourceFiles = ['bin', 'functions', 'lib'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name)),
);

interface Import {
  readonly from: string;
  /** A path from the root, or the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

const SPECIFIER = /(?:^|\n)\s*(import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)/g;

const importsOf = (file: string): Import[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(SPECIFIER)].map(([, , type, specifier, dynamic]) => {
    const name = specifier ?? dynamic ?? '';
    const to = name.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), name)) : name;
    return { from: file, to, typeOnly: type !== undefined };
  });

const imports = sourceFiles.flatMap(importsOf);
const violations = (broken: (edge: Import) => boolean) =>
  imports.filter(broken).map(({ from, to }) => `${from} → ${to}`);
const roomOf = (file: string) => /^functions\/([a-z-]+)\//.exec(file)?.[1];

/** What each room of functions/ may use besides itself and the declarations beside it. Types do not count. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  access: ['runtime'],
  vehicles: ['runtime'],
  compliance: ['runtime', 'vehicles'],
  'counted-list': ['runtime'],
  content: ['runtime', 'counted-list'],
  middleware: ['runtime', 'access'],
};

/** Declarations that any room may read. */
const DECLARATIONS = [
  'functions/tables.ts',
  'functions/problems.ts',
  'functions/endpoints.ts',
  'functions/path-template.ts',
  'functions/open-code.ts',
];

describe('Imports go in one direction', () => {
  it('finds the imports it judges', () => {
    expect(imports.length).toBeGreaterThan(200);
  });

  it('functions/ uses nothing of lib/ or bin/', () => {
    expect(violations(({ from, to }) => from.startsWith('functions/') && /^(lib|bin)\//.test(to))).toEqual([]);
  });

  it('lib/ uses nothing of bin/', () => {
    expect(violations(({ from, to }) => from.startsWith('lib/') && to.startsWith('bin/'))).toEqual([]);
  });

  it('lib/cloud and lib/openapi read only the declarations of functions/, never a handler', () => {
    expect(
      violations(
        ({ from, to }) =>
          /^lib\/(cloud|openapi)\//.test(from) && to.startsWith('functions/') && !DECLARATIONS.includes(to),
      ),
    ).toEqual([]);
  });

  it('the rooms of functions/ use only the rooms below them', () => {
    expect(
      violations(({ from, to, typeOnly }) => {
        const [room, used] = [roomOf(from), roomOf(to)];
        return room !== undefined && used !== undefined && !typeOnly && room !== used && !ROOMS[room]?.includes(used);
      }),
    ).toEqual([]);
  });

  it('no room uses a handler', () => {
    const isHandler = (file: string) => /^functions\/[a-z-]+\.ts$/.test(file) && !DECLARATIONS.includes(file);
    expect(violations(({ from, to }) => roomOf(from) !== undefined && isHandler(to))).toEqual([]);
  });

  it('rules are pure: no AWS, no middy', () => {
    const RULES =
      /functions\/(vehicles\/(registration|insurance|bulk|record)|compliance\/(verdict|record)|access\/(api-key|plans|scopes|window|presented-key)|content\/(page|if-match|fields|item))\.ts$/;
    expect(
      violations(({ from, to, typeOnly }) => RULES.test(from) && !typeOnly && /^@(aws-sdk|middy)\//.test(to)),
    ).toEqual([]);
  });

  it('one file reads the functions’ environment', () => {
    const readers = sourceFiles.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('process.env'));
    expect(readers.filter((file) => file.startsWith('functions/'))).toEqual(['functions/runtime/environment.ts']);
  });

  it('only the problem catalogue and middleware/ know error statuses', () => {
    const STATUS = /\b(status|statusCode)\b\s*:\s*[45]\d\d\b/;
    const knowing = sourceFiles.filter(
      (file) => file.startsWith('functions/') && STATUS.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(knowing.filter((file) => !file.startsWith('functions/middleware/'))).toEqual(['functions/problems.ts']);
  });

  it('has no cycle between files', () => {
    const graph = Map.groupBy(
      imports.filter(({ typeOnly }) => !typeOnly),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]) => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const { to } of graph.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of sourceFiles) visit(file, []);
    expect(cycles).toEqual([]);
  });
});
