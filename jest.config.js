/** Native ES modules; swc strips the types, `tsc` checks them. */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024', experimental: { keepImportAttributes: true } } },
    ],
  },
};

const project = (displayName, testMatch, testPathIgnorePatterns = []) => ({
  ...shared,
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/test/${pattern}`),
  testPathIgnorePatterns: ['/node_modules/', ...testPathIgnorePatterns],
});

/** `npm test`, and what a bare `jest` runs. */
const DEFAULT = [
  project('unit', ['**/*.test.ts'], ['/test/api/', '/test/black-box/', '/test/cloud/stack/', '/test/rigs/release/']),
  project('api', ['{api,black-box}/**/*.test.ts']),
  {
    ...project('templates', ['{cloud/stack,rigs/release}/*.test.ts']),
    globalSetup: '<rootDir>/test/cloud/stack/global-setup.ts',
  },
];

/** Slower, or in need of more than Node: `npm run jest -- --selectProjects NAME` (docs/testing.md). */
const ON_REQUEST = [
  project('faults', ['rigs/faults/*.suite.ts']),
  project('deployed', ['rigs/deploy/*.suite.ts']),
  project('sam', ['rigs/sam/*.suite.ts']),
  project('black-box', ['black-box/*.suite.ts']),
  project('browser', ['rigs/browser/*.suite.ts']),
  project('examples', ['rigs/examples/*.suite.ts']),
  project('site', ['rigs/site/*.suite.ts']),
  {
    ...project('client', ['client/*.suite.ts']),
    globalSetup: '<rootDir>/test/client/pack-and-install.ts',
  },
];

const isSelecting = process.argv.some((argument) => argument.startsWith('--selectProjects'));

export default {
  projects: isSelecting ? [...DEFAULT, ...ON_REQUEST] : DEFAULT,
  // Every test file loads its own copy of all modules, which Node never frees: a worker with more heap in use is
  // replaced. With that, and with the small young generation of `npm run jest` (--max-semi-space-size, MB), two take
  // under 1 GB.
  maxWorkers: 2,
  workerIdleMemoryLimit: '100MB',
  collectCoverageFrom: ['{admin,core,csv,functions,lib,local,openapi}/**/*.ts'],
  coverageReporters: ['text-summary', 'lcov'],
  // Ends a test that hangs; speed never decides a test. A cold machine takes a minute to load the CDK.
  testTimeout: 120_000,
};
