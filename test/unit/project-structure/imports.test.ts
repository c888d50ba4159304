/** Who may import whom. */
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';

type WithoutSeverity<Each> = Each extends unknown ? Omit<Each, 'severity'> : never;
type Rule = WithoutSeverity<Extract<NonNullable<IFlattenedRuleSet['forbidden']>[number], { to: unknown }>>;

/** The folders of the service's code. They import no other folder, so one that is missing here is found. */
const PRODUCT_FOLDERS = ['admin', 'bin', 'core', 'csv', 'functions', 'lib', 'local', 'openapi'] as const;

/** What `lib` and `openapi` may read: endpoints and declarations, the latter documents too. No serving code. */
const ENDPOINT = '^functions/.+/endpoint\\.ts$';
const TABLE = '^functions/endpoints/table\\.ts$';
const ENDPOINT_FILES = '^functions/endpoints/endpoint-files\\.ts$';
const DEFINITION = '^functions/http/endpoint-definition\\.ts$';
const DECLARATIONS = '^core/(tables|problems|schemas/validation-issues|access/(api-key|plans)|stage/.+)\\.ts$';
const DOCUMENT = '^functions/endpoints/.*\\bdocument\\.ts$';
const PACKAGE = '^package\\.json$';
const HANDLER = '^functions/.+/handler\\.ts$';

/** Rules of the domain: no AWS and no log, so that a table of cases tests them. */
const PURE_RULES =
  '^core/(access/(api-key|plans)|vehicles/(registration|insurance|suggestion)|bulk|compliance/verdict|content/(item|page)|sandbox/sandbox-records)\\.ts$';

/** What each folder may import of the project besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  csv: [],
  functions: ['^core/'],
  client: ['^csv/', '^core/(runtime/clock|vehicles/registration|access/plans|reference)\\.ts$'],
  admin: ['^(core|csv)/', PACKAGE],
  lib: [ENDPOINT, TABLE, ENDPOINT_FILES, DEFINITION, DECLARATIONS],
  openapi: [ENDPOINT, TABLE, ENDPOINT_FILES, DEFINITION, DOCUMENT, DECLARATIONS, PACKAGE],
  local: [PACKAGE, '^(core|functions|openapi)/', '^admin/(keys/key-store|import/content-import)\\.ts$'],
  bin: [`^(${PRODUCT_FOLDERS.join('|')})/`],
};

const folderRules: Rule[] = Object.entries(ALLOWED).map(([folder, allowed]) => ({
  name: `${folder}/ imports only what it may`,
  from: { path: `^${folder}/` },
  to: { path: `^(?!${folder}/)`, pathNot: [...allowed], dependencyTypes: ['local'] },
}));

const rules: readonly Rule[] = [
  { name: 'no circular imports', from: {}, to: { circular: true } },
  { name: 'no circular folders', scope: 'folder', from: {}, to: { circular: true } },
  ...folderRules,
  {
    name: 'only the two command lines import csv/',
    from: { pathNot: '^(admin|client/src/command-line|csv)/' },
    to: { path: '^csv/' },
  },
  {
    name: 'core/ knows no event, no middy and no CDK',
    from: { path: '^core/' },
    to: { path: '(^|/)(@middy|aws-lambda|aws-cdk-lib|constructs)(/|$)' },
  },
  {
    name: 'the library in client/ uses web standards only',
    from: { path: '^client/src/(?!command-line/)' },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'nobody imports a handler',
    comment: 'Who runs handlers finds them by the name of their folder (functions/endpoints/endpoint-files.ts).',
    from: {},
    to: { path: HANDLER },
  },
  {
    name: 'handlers look vehicles up through the sandbox',
    comment: 'It gives test keys the sandbox vehicles, never the tables.',
    from: { path: HANDLER },
    to: { path: '^core/(vehicles/vehicles|compliance/compliance)-table\\.ts$' },
  },
  {
    name: 'an endpoint imports only its own folder',
    comment: 'A bundle then has one endpoint, and without input.ts no schema library.',
    from: { path: '^functions/endpoints/([^/]+)/', pathNot: DOCUMENT },
    to: { path: '^functions/endpoints/', pathNot: '^functions/endpoints/$1/' },
  },
  {
    name: 'of functions only not-found imports the table of endpoints',
    from: { path: '^functions/', pathNot: ['^functions/not-found/', ENDPOINT_FILES, DOCUMENT] },
    to: { path: TABLE },
  },
  { name: 'the table imports only endpoints', from: { path: TABLE }, to: { pathNot: ENDPOINT } },
  { name: 'endpoints are plain data', from: { path: ENDPOINT }, to: { dependencyTypesNot: ['type-only'] } },
  { name: 'no function finds files', from: { path: '^functions/' }, to: { path: ENDPOINT_FILES } },
  { name: 'no function bundles a document', from: { path: '^functions/', pathNot: DOCUMENT }, to: { path: DOCUMENT } },
  {
    name: 'rules are pure',
    from: { path: PURE_RULES },
    to: { path: '@aws-sdk|^core/(aws/|runtime/log)', dependencyTypesNot: ['type-only'] },
  },
];

/** What no import may do. */
const forbidden = rules.map((rule) => ({ ...rule, severity: 'error' as const }));

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

  type Paths = Partial<Record<'path' | 'pathNot', string | readonly string[]>>;

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
