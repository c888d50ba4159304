/** Who may import whom. */
import type { IFlattenedRuleSet } from 'dependency-cruiser';

type WithoutSeverity<Each> = Each extends unknown ? Omit<Each, 'severity'> : never;
type Rule = WithoutSeverity<Extract<NonNullable<IFlattenedRuleSet['forbidden']>[number], { to: unknown }>>;

/** The folders of the service's code. They import no other folder, so one that is missing here is found. */
export const PRODUCT_FOLDERS = ['bin', 'core', 'functions', 'lib'] as const;

/** What `lib` and `openapi` may read: rows and declarations, the latter documents too. No serving code. */
const ROW = '^functions/.+/endpoint\\.ts$';
const TABLE = '^functions/endpoints/table\\.ts$';
const DECLARATIONS = '^core/(tables|problems|schemas/validation-issues|access/(api-key|plans))\\.ts$';
const DOCUMENT = '^functions/endpoints/.*\\bdocument\\.ts$';
/** The parts of the client that the operators' CLI uses too. */
const CSV_READER = '^csv/';
const PROGRESS_BAR = '^client/src/command-line/progress-bar\\.ts$';
const HANDLER = '^functions/.+/handler\\.ts$';

/** The folders of core/ and functions/, each with the folders that it may import, types included. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'core/runtime': [],
  'core/schemas': ['core/runtime'],
  'core/observability': ['core/runtime'],
  'core/dynamodb': ['core/runtime'],
  'core/access': ['core/runtime', 'core/schemas', 'core/dynamodb'],
  'core/vehicles': ['core/runtime', 'core/schemas', 'core/dynamodb', 'core/observability'],
  'core/compliance': ['core/runtime', 'core/dynamodb', 'core/observability', 'core/schemas', 'core/vehicles'],
  'core/bulk': ['core/runtime', 'core/vehicles', 'core/compliance'],
  'core/counted-list': ['core/runtime', 'core/dynamodb'],
  'core/content': ['core/runtime', 'core/schemas', 'core/dynamodb', 'core/counted-list', 'core/access'],
  'core/signing': ['core/runtime', 'core/dynamodb'],
  'core/sandbox': ['core/runtime', 'core/access', 'core/vehicles', 'core/compliance'],
  'functions/http': [
    'core/runtime',
    'core/schemas',
    'core/dynamodb',
    'core/observability',
    'core/access',
    'core/signing',
  ],
  'functions/jwks': ['core/runtime', 'core/signing', 'functions/http'],
  'functions/probe': ['core/runtime', 'core/dynamodb', 'core/observability', 'core/access'],
};

const layerRules: Rule[] = Object.entries(LAYERS).map(([folder, below]) => ({
  name: `${folder} imports only what is below it`,
  from: { path: `^${folder}/` },
  to: { path: '^(core|functions)/[^/]+/', pathNot: `^(${[folder, ...below].join('|')})/` },
}));

/** Rules of the domain: no AWS and no clock of their own, so that a table of cases tests them. */
export const PURE_RULES =
  '^core/(access/(api-key|plans)|vehicles/(registration|insurance|suggestion)|bulk/(bulk-entries|insurance|compliance)|compliance/verdict|content/(item|page)|sandbox/(sandbox-vehicles|sandbox-records))\\.ts$';

const rules: readonly Rule[] = [
  { name: 'no circular imports', from: {}, to: { circular: true } },
  { name: 'no circular folders', scope: 'folder', from: {}, to: { circular: true } },
  {
    name: 'the product imports nothing of other folders',
    from: { path: `^(${PRODUCT_FOLDERS.join('|')})/` },
    to: {
      path: '^[^/]+/',
      pathNot: [`^(${PRODUCT_FOLDERS.join('|')})/`, CSV_READER, PROGRESS_BAR],
      dependencyTypes: ['local'],
    },
  },
  {
    name: 'of the service only admin imports the reader of CSV files and the progress bar',
    from: { path: `^(${PRODUCT_FOLDERS.join('|')})/`, pathNot: '^admin/' },
    to: { path: [CSV_READER, PROGRESS_BAR] },
  },
  {
    name: 'the reader of CSV files and the progress bar import nothing else of the client',
    from: { path: [CSV_READER, PROGRESS_BAR] },
    to: { path: '^client/src/', pathNot: CSV_READER },
  },
  { name: 'core/ imports nothing above it', from: { path: '^core/' }, to: { path: '^(functions|lib|bin|client)/' } },
  {
    name: 'core/ knows no event, no middy and no CDK',
    from: { path: '^core/' },
    to: { path: '(^|/)(@middy|aws-lambda|aws-cdk-lib|constructs)(/|$)' },
  },
  {
    name: 'functions/ imports nothing of lib/, bin/ or client/',
    from: { path: '^functions/' },
    to: { path: '^(lib|bin|client)/' },
  },
  {
    name: 'client/ imports nothing of the service',
    from: { path: '^client/' },
    to: { path: '^(core|functions|lib|bin)/' },
  },
  {
    name: 'the library in client/ uses web standards only',
    from: { path: '^client/src/(?!command-line/)' },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  },
  { name: 'lib/ imports nothing of bin/', from: { path: '^lib/' }, to: { path: '^bin/' } },
  {
    name: 'lib imports only rows and declarations',
    from: { path: '^lib/' },
    to: { path: '^(core|functions)/', pathNot: [ROW, TABLE, DECLARATIONS] },
  },
  {
    name: 'openapi imports only rows, declarations and documents',
    from: { path: '^openapi/' },
    to: { path: '^(core|functions)/', pathNot: [ROW, TABLE, DECLARATIONS, DOCUMENT] },
  },
  {
    name: 'admin imports core/, what is below it in lib/, the version and the outputs of the stack',
    from: { path: '^admin/' },
    to: {
      path: '^(functions|lib)/',
      pathNot: '^lib/(admin/|content-maintenance/|key-management/|(cloud/outputs|staging-database|version)\\.ts$)',
    },
  },
  {
    name: 'admin/content and admin/keys import core/ and the staging database only',
    from: { path: '^lib/(content-maintenance|key-management)/' },
    to: { path: '^(functions|lib)/', pathNot: '^lib/($1/|staging-database\\.ts$)' },
  },
  { name: 'local imports nothing of admin', from: { path: '^local/' }, to: { path: '^admin/' } },
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
    name: 'an endpoint imports only the row and the input of its own folder',
    comment: 'A bundle then has one row, and without input no schema library.',
    from: { path: '^functions/endpoints/([^/]+)/', pathNot: DOCUMENT },
    to: { path: '^functions/endpoints/', pathNot: '^functions/endpoints/$1/(endpoint|input)\\.ts$' },
  },
  {
    name: 'of functions only not-found imports the table of endpoints',
    from: { path: '^functions/', pathNot: ['^functions/not-found/', DOCUMENT] },
    to: { path: TABLE },
  },
  { name: 'the table of endpoints imports only rows', from: { path: TABLE }, to: { pathNot: ROW } },
  { name: 'rows are plain data', from: { path: ROW }, to: { dependencyTypesNot: ['type-only'] } },
  { name: 'no function bundles a document', from: { path: '^functions/', pathNot: DOCUMENT }, to: { path: DOCUMENT } },
  {
    name: 'only input.ts of an endpoint loads the schema library for a function',
    from: { path: '^functions/', pathNot: ['/input\\.ts$', DOCUMENT] },
    to: { path: '(^|/)typebox(/|$)|^functions/http/input\\.ts$' },
  },
  {
    name: 'rules are pure',
    from: { path: PURE_RULES },
    to: { path: '@aws-sdk|^core/(dynamodb|observability)/', dependencyTypesNot: ['type-only'] },
  },
  ...layerRules,
];

/** What no import may do. */
export const forbidden = rules.map((rule) => ({ ...rule, severity: 'error' as const }));
