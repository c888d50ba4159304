import { afterAll, beforeAll } from '@jest/globals';
import { startEngine, type TestEngine } from './engine.ts';

/** An engine with empty tables for the tests of a file. */
export const useEngine = (): TestEngine => {
  const engine = {} as TestEngine;
  beforeAll(async () => {
    Object.assign(engine, await startEngine());
  });
  afterAll(() => engine.stop());
  return engine;
};
