import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { insuranceOn, insuranceStatus } from '../../core/vehicles/insurance.ts';
import { aPolicy } from '../support/records.ts';

const TODAY = '2026-06-15';
const day = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const policy = fc
  .tuple(day, day, fc.stringMatching(/^P-\d{1,3}$/))
  .map(([one, two, number]) => aPolicy({ number, validFrom: one < two ? one : two, validTo: one < two ? two : one }));
/** Numbers are unique within a vehicle: the import rejects others. */
const policies = fc.uniqueArray(policy, { maxLength: 20, selector: ({ number }) => number });

describe('Insurance on a day', () => {
  it('is in force exactly when some policy covers the day, both ends included', () => {
    fc.assert(
      fc.property(policies, day, (list, today) => {
        const covered = list.some(({ validFrom, validTo }) => validFrom <= today && today <= validTo);
        expect(insuranceStatus('A1', today, list).insured).toBe(covered);
      }),
    );
  });

  it('does not depend on the order of the policies', () => {
    fc.assert(
      fc.property(
        policies.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        day,
        ([list, shuffled], today) => {
          expect(insuranceOn(today, shuffled)).toEqual(insuranceOn(today, list));
        },
      ),
    );
  });

  it('returns one of the policies, or none without policies', () => {
    fc.assert(
      fc.property(policies, day, (list, today) => {
        const { status, policy: answer } = insuranceOn(today, list);
        expect(status === 'NONE').toBe(list.length === 0);
        if (answer !== null) expect(list).toContainEqual(answer);
      }),
    );
  });

  it.each([
    [
      'in force: the last to begin, then the first by number',
      [
        { number: 'B', validFrom: '2026-03-01' },
        { number: 'C', validFrom: '2026-02-01' },
        { number: 'A', validFrom: '2026-03-01' },
      ],
      { status: 'IN_FORCE', policy: { number: 'A' } },
    ],
    [
      'lapsed: the last to end, before any that is still to begin',
      [
        { number: 'NEXT', validFrom: '2026-07-01' },
        { number: 'EARLIER', validTo: '2026-03-01' },
        { number: 'LAST', validTo: '2026-06-14' },
      ],
      { status: 'LAPSED', policy: { number: 'LAST' } },
    ],
    [
      'not started: the next',
      [
        { number: 'LATER', validFrom: '2026-08-01' },
        { number: 'NEXT', validFrom: '2026-07-01' },
      ],
      { status: 'NOT_STARTED', policy: { number: 'NEXT' } },
    ],
  ])('is that of one policy of several that are %s', (_which, list, expected) => {
    expect(insuranceOn(TODAY, list.map(aPolicy))).toMatchObject(expected);
  });
});
