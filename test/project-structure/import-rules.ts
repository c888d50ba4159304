/** Who may import whom. */
import type { IFlattenedRuleSet } from 'dependency-cruiser';

type Rule = NonNullable<IFlattenedRuleSet['forbidden']>[number];

/** What `lib/cloud` and `lib/openapi` may read of `functions/`: declarations, never code that serves a request. */
const DECLARATIONS =
  '^functions/((endpoints|tables|problems|path-template)|schemas/(open-code|validation-issues)|access/plans)\\.ts$';

/** The folders of functions/, each with those below it. Types count: a folder does not know what is above it. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  schemas: ['runtime'],
  observability: ['runtime'],
  dynamodb: ['runtime'],
  access: ['runtime', 'schemas', 'dynamodb'],
  vehicles: ['runtime', 'schemas', 'dynamodb', 'observability'],
  compliance: ['runtime', 'dynamodb', 'observability', 'schemas', 'vehicles'],
  'counted-list': ['runtime', 'dynamodb'],
  content: ['runtime', 'schemas', 'dynamodb', 'counted-list', 'access'],
  sandbox: ['runtime', 'access', 'vehicles', 'compliance'],
  middleware: ['runtime', 'schemas', 'dynamodb', 'observability', 'access'],
  probe: ['runtime'],
};

const layerRules: Rule[] = Object.entries(LAYERS).map(([folder, below]) => ({
  name: `functions/${folder} imports only what is below it`,
  severity: 'error',
  from: { path: `^functions/${folder}/` },
  to: { path: '^functions/[^/]+/', pathNot: `^functions/(${[folder, ...below].join('|')})/` },
}));

/** Rules of the domain: no AWS, no middy, no clock of their own, so that a table of cases tests them. */
const PURE_RULES =
  '^functions/(access/(api-key|plans)|vehicles/(registration|insurance|bulk)|compliance/verdict|content/(page|item)|sandbox/(forced-outcomes|sandbox-vehicles|sandbox-records))\\.ts$';

/** What no import may do. */
export const forbidden: Rule[] = [
  { name: 'no circular imports', severity: 'error', from: {}, to: { circular: true } },
  { name: 'no circular folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
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
    to: { path: '^(functions|lib|bin)/' },
  },
  {
    name: 'the library in client/ uses web standards only',
    severity: 'error',
    from: { path: '^client/src/(?!command-line/)' },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  },
  { name: 'lib/ imports nothing of bin/', severity: 'error', from: { path: '^lib/' }, to: { path: '^bin/' } },
  {
    name: 'lib/cloud and lib/openapi import only declarations',
    severity: 'error',
    from: { path: '^lib/(cloud|openapi)/' },
    to: { path: '^functions/', pathNot: DECLARATIONS },
  },
  { name: 'nobody imports a handler', severity: 'error', from: {}, to: { path: '^functions/handlers/' } },
  {
    name: 'handlers look vehicles up through the sandbox',
    comment: 'It gives test keys the sandbox vehicles, never the tables.',
    severity: 'error',
    from: { path: '^functions/handlers/' },
    to: { path: '^functions/(vehicles/vehicles|compliance/compliance)-table\\.ts$' },
  },
  {
    name: 'only handlers and middleware import the table of endpoints',
    severity: 'error',
    from: { path: '^functions/(?!handlers|middleware)[^/]+/' },
    to: { path: '^functions/endpoints\\.ts$' },
  },
  {
    name: 'rules are pure',
    severity: 'error',
    from: { path: PURE_RULES },
    to: {
      path: '@aws-sdk|@middy|^functions/(dynamodb|middleware|observability)/',
      dependencyTypesNot: ['type-only'],
    },
  },
  ...layerRules,
];
