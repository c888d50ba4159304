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
    '<rootDir>/test/access/{admission,api-key,plans}.test.ts',
    '<rootDir>/test/{bulk,vehicles}/*.test.ts',
    '<rootDir>/test/compliance/*.test.ts',
    '<rootDir>/test/content/item.test.ts',
    '<rootDir>/test/counted-list/{bucket-ranges,entries}.test.ts',
    '<rootDir>/test/http/{body-checks,input,key-form,page-links,request}.test.ts',
  ],
};
