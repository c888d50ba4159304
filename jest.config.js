/** Native ES modules; swc strips the types as fast as it reads, `tsc` checks them. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' } }] },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  collectCoverageFrom: ['functions/**/*.ts', 'lib/**/*.ts'],
  coverageReporters: ['text-summary', 'lcov'],
  // Speed never decides a test: this only ends one that hangs. A cold machine takes a minute to load the CDK.
  testTimeout: 120_000,
};
