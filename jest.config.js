/** Native ES modules; swc strips the types, `tsc` checks them. */
const shared = {
  testEnvironment: 'node',
  ...(process.env.DYNAMODB_LOCAL && { globalSetup: '<rootDir>/test/outside/dynamodb-local/global-setup.ts' }),
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024', experimental: { keepImportAttributes: true } } },
    ],
  },
};

const project = (displayName, testMatch) => ({
  ...shared,
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/test/${pattern}`),
});

/** `npm test`, and what a bare `jest` runs. */
const DEFAULT = [
  project('unit', ['unit/**/*.test.ts', 'cloud/*.test.ts']),
  project('api', ['api/**/*.test.ts', 'races/*.test.ts', 'black-box/local-gateway.test.ts']),
  {
    ...project('templates', ['cloud/{release,stack}/*.test.ts']),
    globalSetup: '<rootDir>/test/cloud/stack/global-setup.ts',
  },
];

/** Programs outside this one, with which the folder of the name tests the product. */
const OUTSIDE = [
  'browser',
  'client',
  'deploy',
  'examples',
  'generated-clients',
  'recipes',
  'sam',
  'schemathesis',
  'site',
];

/** Slower, or in need of more than Node: `npm run jest -- --selectProjects NAME` (docs/testing.md). */
const ON_REQUEST = [
  project('faults', ['faults/*.test.ts']),
  project('black-box', ['black-box/any-origin.test.ts']),
  ...OUTSIDE.map((name) => ({
    ...project(name, [`outside/${name}/*.test.ts`]),
    ...(name === 'client' && { globalSetup: '<rootDir>/test/outside/client/installed-package.ts' }),
  })),
];

const isSelecting = process.argv.some((argument) => argument.startsWith('--selectProjects'));

export default {
  projects: isSelecting ? [...DEFAULT, ...ON_REQUEST] : DEFAULT,
  // Every test file loads its own copy of all modules, which Node never frees: a worker with more heap in use is
  // replaced. With that, and with the small young generation of `npm run jest` (--max-semi-space-size, MB), two take
  // under 1 GB.
  maxWorkers: 2,
  workerIdleMemoryLimit: '100MB',
  // Ends a test that hangs; speed never decides a test. A cold machine takes a minute to load the CDK.
  testTimeout: 120_000,
};
