import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { insuranceAnswer, insuranceOn, insuranceResult } from '../../../core/vehicles/insurance.ts';
import { aPolicy, aVehicle } from '../../support/records.ts';

const TODAY = '2026-06-15';
const YESTERDAY = '2026-06-14';

describe('Insurance on a day', () => {
  const day = fc
    .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const policy = fc
    .tuple(day, day, fc.stringMatching(/^P-\d{1,3}$/))
    .map(([one, two, number]) => aPolicy({ number, validFrom: one < two ? one : two, validTo: one < two ? two : one }));
  /** Numbers are unique within a vehicle: the import rejects others. */
  const policies = fc.uniqueArray(policy, { maxLength: 20, selector: ({ number }) => number });

  it('is in force exactly when some policy covers the day, both ends included, in any order of the policies', () => {
    const shuffled = policies.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, day, ([list, others], today) => {
        const covered = list.some(({ validFrom, validTo }) => validFrom <= today && today <= validTo);
        expect(insuranceResult('A1', today, list).insured).toBe(covered);
        const { status, policy: answer } = insuranceOn(today, list);
        expect(insuranceOn(today, others)).toEqual({ status, policy: answer });
        if (list.length === 0) {
          expect({ status, answer }).toEqual({ status: 'NONE', answer: null });
        } else {
          expect(status).not.toBe('NONE');
          expect(list).toContainEqual(answer);
        }
      }),
    );
  });

  /** Policies by number and dates, and the one that answers. */
  it.each([
    [
      'IN_FORCE: the last to begin, then the first by number',
      [{ validFrom: '2026-03-01' }, { validFrom: '2026-02-01' }, { number: 'A', validFrom: '2026-03-01' }],
    ],
    [
      'LAPSED: the last to end, before any that is still to begin',
      [
        { validFrom: '2026-07-01' },
        { validFrom: '2026-02-01', validTo: '2026-03-01' },
        { number: 'A', validTo: YESTERDAY },
      ],
    ],
    [
      'LAPSED: of those that ended on one day the last to begin',
      [
        { number: '0', validFrom: '2026-02-01', validTo: YESTERDAY },
        { number: 'A', validFrom: '2026-03-01', validTo: YESTERDAY },
      ],
    ],
    [
      'NOT_STARTED: the next, then the first by number',
      [{ validFrom: '2026-08-01' }, { validFrom: '2026-07-01' }, { number: 'A', validFrom: '2026-07-01' }],
    ],
  ])('follows one policy of several: %s', (expected, list) => {
    const numbered = list.map((fields, nth) => aPolicy({ number: `B${nth}`, ...fields }));
    const { status, policy: answer } = insuranceOn(TODAY, numbered);
    expect({ status, number: answer?.number }).toEqual({ status: expected.split(':')[0], number: 'A' });
  });
});

describe('The answer of an insurance lookup', () => {
  const record = aVehicle('AB12CDE', [aPolicy({ validFrom: TODAY, validTo: TODAY })]);

  it('is for today, with the registration as it was queried', () => {
    const { vehicle, lastUpdated, policies } = record;
    const [policy] = policies;
    expect(insuranceAnswer('ab12 cde', record, TODAY)).toEqual({
      registration: 'ab12 cde',
      insured: true,
      status: 'IN_FORCE',
      policy,
      vehicle,
      lastUpdated,
    });
  });

  it('is for the day that was asked for, and names it', () => {
    expect(insuranceAnswer('AB12CDE', record, TODAY, YESTERDAY)).toMatchObject({
      insured: false,
      status: 'NOT_STARTED',
      asOf: YESTERDAY,
    });
  });
});
