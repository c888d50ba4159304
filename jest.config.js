/** Native ES modules; swc strips the types as fast as it reads, `tsc` checks them. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' } }] },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  collectCoverageFrom: ['functions/**/*.ts', 'lib/**/*.ts'],
  coverageReporters: ['text-summary', 'lcov'],
  testTimeout: 30_000,
};
