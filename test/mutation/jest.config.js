import base from '../../jest.config.js';

const [{ testEnvironment, extensionsToTreatAsEsm, transform }] = base.projects;

/** The tests of the pure rules alone: each mutant runs those that reach it. */
export default {
  rootDir: '../..',
  testEnvironment,
  extensionsToTreatAsEsm,
  transform,
  setupFiles: ['<rootDir>/test/mutation/fewer-examples.ts'],
  testMatch: [
    '<rootDir>/test/unit/access/*.test.ts',
    '<rootDir>/test/unit/{bulk,compliance,sandbox,schemas,vehicles}/*.test.ts',
    '<rootDir>/test/unit/content/{item,schemas}.test.ts',
    '<rootDir>/test/unit/http/request.test.ts',
  ],
};
