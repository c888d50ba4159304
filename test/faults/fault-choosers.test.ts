import { describe, expect, it } from '@jest/globals';
import {
  always,
  type ChooseFault,
  FAULTS,
  faultName,
  forOperation,
  forTable,
  onNthCall,
  withProbability,
} from '../support/fault-choosers.ts';

const call = (operation: string, ...tables: string[]) => ({ operation, tables, body: '{}', nth: 1 });
const chosen = (choose: ChooseFault, count: number) =>
  Array.from({ length: count }, () => choose(call('GetItem', 'a')));

describe('Choosers of faults', () => {
  it('keep to an operation and to a table', () => {
    const choose = forOperation('GetItem', forTable('a', always('hang')));
    expect(choose(call('GetItem', 'b', 'a'))).toBe('hang');
    expect(choose(call('GetItem', 'b'))).toBeUndefined();
    expect(choose(call('PutItem', 'a'))).toBeUndefined();
  });

  it('count only what reaches them', () => {
    const choose = forTable('a', onNthCall(2, 'error'));
    expect([call('x', 'a'), call('x', 'b'), call('x', 'a'), call('x', 'a')].map(choose)).toEqual([
      undefined,
      undefined,
      'error',
      undefined,
    ]);
  });

  it('hit the share that they are given, with every fault alike, and the same for the same seed', () => {
    const faults = chosen(withProbability(0.2, ['error', 'hang'], 7), 10_000);
    const hits = faults.filter((fault) => fault !== undefined);
    expect(hits.length).toBeGreaterThan(1_850);
    expect(hits.length).toBeLessThan(2_150);
    expect(hits.filter((fault) => fault === 'hang').length / hits.length).toBeCloseTo(0.5, 1);
    expect(chosen(withProbability(0.2, ['error', 'hang'], 7), 10_000)).toEqual(faults);
    expect(chosen(withProbability(0.2, ['error', 'hang'], 8), 10_000)).not.toEqual(faults);
  });

  it('know every fault by its own name', () => {
    expect(new Set(FAULTS.map(faultName)).size).toBe(FAULTS.length);
  });
});
