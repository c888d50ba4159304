import base from '../../../jest.config.js';

const [{ testEnvironment, extensionsToTreatAsEsm, transform }] = base.projects;

/** The tests of the pure rules alone: each mutant runs those that reach it. */
export default {
  rootDir: '../../..',
  testEnvironment,
  extensionsToTreatAsEsm,
  transform,
  setupFiles: ['<rootDir>/test/rigs/mutation/fewer-examples.ts'],
  testMatch: [
    '<rootDir>/test/access/*.test.ts',
    '<rootDir>/test/{bulk,compliance,sandbox,schemas,vehicles}/*.test.ts',
    '<rootDir>/test/content/item.test.ts',
    '<rootDir>/test/http/{input,request}.test.ts',
  ],
};
