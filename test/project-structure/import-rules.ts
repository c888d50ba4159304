/** Who may import whom. */
import type { IFlattenedRuleSet } from 'dependency-cruiser';

type Rule = NonNullable<IFlattenedRuleSet['forbidden']>[number];

/** The folders of the service's code. They import no other folder, so one that is missing here is found. */
export const PRODUCT_FOLDERS = ['bin', 'core', 'functions', 'lib'] as const;

/** What `lib/cloud` and `lib/openapi` may read: the rows of endpoints and declarations, never code that serves a request. */
const ROWS = 'functions/endpoints\\.ts$';
const DECLARATIONS = 'core/(tables|problems|schemas/(open-code|validation-issues)|access/plans)\\.ts$';

/** The folders of core/ and functions/, each with those below it. Types count: a folder does not know what is above it. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'core/runtime': [],
  'core/schemas': ['core/runtime'],
  'core/observability': ['core/runtime'],
  'core/dynamodb': ['core/runtime'],
  'core/access': ['core/runtime', 'core/schemas', 'core/dynamodb'],
  'core/vehicles': ['core/runtime', 'core/schemas', 'core/dynamodb', 'core/observability'],
  'core/compliance': ['core/runtime', 'core/dynamodb', 'core/observability', 'core/schemas', 'core/vehicles'],
  'core/counted-list': ['core/runtime', 'core/dynamodb'],
  'core/content': ['core/runtime', 'core/schemas', 'core/dynamodb', 'core/counted-list', 'core/access'],
  'core/sandbox': ['core/runtime', 'core/access', 'core/vehicles', 'core/compliance'],
  'functions/http': ['core/runtime', 'core/schemas', 'core/dynamodb', 'core/observability', 'core/access'],
  'functions/probe': ['core/runtime'],
};

const layerRules: Rule[] = Object.entries(LAYERS).map(([folder, below]) => ({
  name: `${folder} imports only what is below it`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: '^(core|functions)/[^/]+/', pathNot: `^(${[folder, ...below].join('|')})/` },
}));

/** Rules of the domain: no AWS and no clock of their own, so that a table of cases tests them. */
const PURE_RULES =
  '^core/(access/(api-key|plans)|vehicles/(registration|insurance|bulk)|compliance/verdict|content/(page|item)|sandbox/(forced-outcomes|sandbox-vehicles|sandbox-records))\\.ts$';

/** What no import may do. */
export const forbidden: Rule[] = [
  { name: 'no circular imports', severity: 'error', from: {}, to: { circular: true } },
  { name: 'no circular folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
  {
    name: 'the product imports nothing of other folders',
    severity: 'error',
    from: { path: `^(${PRODUCT_FOLDERS.join('|')})/` },
    to: { path: '^[^/]+/', pathNot: `^(${PRODUCT_FOLDERS.join('|')})/`, dependencyTypes: ['local'] },
  },
  {
    name: 'core/ imports nothing above it',
    severity: 'error',
    from: { path: '^core/' },
    to: { path: '^(functions|lib|bin|client)/' },
  },
  {
    name: 'core/ knows no event, no middy and no CDK',
    severity: 'error',
    from: { path: '^core/' },
    to: { path: '(^|/)(@middy|aws-lambda|aws-cdk-lib|constructs)(/|$)' },
  },
  {
    name: 'functions/ imports nothing of lib/, bin/ or client/',
    severity: 'error',
    from: { path: '^functions/' },
    to: { path: '^(lib|bin|client)/' },
  },
  {
    name: 'client/ imports nothing of the service',
    severity: 'error',
    from: { path: '^client/' },
    to: { path: '^(core|functions|lib|bin)/' },
  },
  {
    name: 'the library in client/ uses web standards only',
    severity: 'error',
    from: { path: '^client/src/(?!command-line/)' },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  },
  { name: 'lib/ imports nothing of bin/', severity: 'error', from: { path: '^lib/' }, to: { path: '^bin/' } },
  {
    name: 'lib/cloud and lib/openapi import only rows and declarations',
    severity: 'error',
    from: { path: '^lib/(cloud|openapi)/' },
    to: { path: '^(core|functions)/', pathNot: `^(${ROWS}|${DECLARATIONS})` },
  },
  {
    name: 'lib/admin imports core/, lib/content-maintenance and the outputs of the stack',
    severity: 'error',
    from: { path: '^lib/admin/' },
    to: {
      path: '^(functions|lib)/',
      pathNot: '^lib/(admin/|content-maintenance/|cloud/outputs\\.ts$|private-file\\.ts$)',
    },
  },
  {
    name: 'lib/content-maintenance imports core/ only',
    severity: 'error',
    from: { path: '^lib/content-maintenance/' },
    to: { path: '^(functions|lib)/', pathNot: '^lib/content-maintenance/' },
  },
  { name: 'nobody imports a handler', severity: 'error', from: {}, to: { path: '^functions/handlers/' } },
  {
    name: 'handlers look vehicles up through the sandbox',
    comment: 'It gives test keys the sandbox vehicles, never the tables.',
    severity: 'error',
    from: { path: '^functions/handlers/' },
    to: { path: '^core/(vehicles/vehicles|compliance/compliance)-table\\.ts$' },
  },
  {
    name: 'only handlers and functions/http import the table of endpoints',
    severity: 'error',
    from: { path: '^functions/(?!handlers|http)[^/]+/' },
    to: { path: '^functions/endpoints\\.ts$' },
  },
  {
    name: 'rules are pure',
    severity: 'error',
    from: { path: PURE_RULES },
    to: {
      path: '@aws-sdk|^core/(dynamodb|observability)/',
      dependencyTypesNot: ['type-only'],
    },
  },
  ...layerRules,
];
