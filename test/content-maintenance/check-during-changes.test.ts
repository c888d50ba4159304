import { expect, it } from '@jest/globals';
import { checkBesideChurn } from '../faults/content-check/check-beside-churn.ts';

/** `npm run test:faults:long` does 1,000. */
const CHECKS = 8;

it('A check during changes raises no false alarm, breaks nothing, and finds and repairs every planted inconsistency', async () => {
  const { changes, planted, busy, ...rest } = await checkBesideChurn(CHECKS);
  expect(rest).toEqual({ checks: CHECKS, falseAlarms: [], missed: [], unrepaired: [], broken: [] });
  expect(planted).toBeGreaterThan(0);
  expect(changes).toBeGreaterThan(0);
});
