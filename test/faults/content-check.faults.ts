import { beforeAll, describe, expect, it } from '@jest/globals';
import { type BesideChurn, checkBesideChurn } from './content-check/check-beside-churn.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const CHECKS = bySize(30, 1_000);

/** Requests and responses are delayed at random and the scan's pages are small, so that a check reads many different moments. */
describe('content check --repair during creates, moves and deletes', () => {
  let outcome: BesideChurn;

  beforeAll(async () => {
    outcome = await checkBesideChurn(CHECKS);
    reportFigures('content check', outcome);
  }, TIMEOUT_MS);

  it('reports nothing that is consistent', () => {
    expect(outcome.falseAlarms).toEqual([]);
  });

  it('finds every planted inconsistency', () => {
    expect(outcome.planted).toBeGreaterThan(0);
    expect(outcome.missed).toEqual([]);
  });

  it('repairs every inconsistency that it finds', () => {
    expect(outcome.unrepaired).toEqual([]);
  });

  it('breaks nothing: every item is listed once and every total is right', () => {
    expect(outcome.changes).toBeGreaterThan(0);
    expect(outcome.broken).toEqual([]);
  });

  it('leaves a bucket uncounted because of its traffic in at most 1 % of the checks', () => {
    expect(outcome.busy).toBeLessThanOrEqual(CHECKS / 100);
  });
});
