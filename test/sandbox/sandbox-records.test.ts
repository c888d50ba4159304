import { describe, expect, it } from '@jest/globals';
import { problems } from '../../core/problems.ts';
import { FORCED_OUTCOMES, isForced, requireUnforced } from '../../core/sandbox/lookup-sources.ts';
import { sandboxCompliance, sandboxRegistrations, sandboxVehicle } from '../../core/sandbox/sandbox-records.ts';
import { normaliseRegistration } from '../../core/vehicles/registration.ts';

const TODAY = '2026-06-15';
const FORCED = Object.keys(FORCED_OUTCOMES);

describe('The record of a sandbox vehicle', () => {
  it('is found by its normalised registration, with dates relative to the day', () => {
    expect(sandboxVehicle('DG65OLD', TODAY)).toEqual({
      registration: 'DG65OLD',
      vehicle: { make: 'Nissan', model: 'Qashqai', year: 2015, color: 'White' },
      policies: [
        {
          number: 'POL-1003-1',
          insurer: 'Castle & Crown Insurance',
          validFrom: '2025-06-15',
          validTo: '2026-06-14',
          type: 'Comprehensive',
        },
      ],
      lastUpdated: '2026-06-14T08:30:00.000Z',
    });
    expect(sandboxVehicle('DG65OLD', '2028-03-01')?.policies[0]?.validTo).toBe('2028-02-29');
    expect(sandboxCompliance('RA09SRN', TODAY)).toEqual({
      registration: 'RA09SRN',
      mot: { dueDate: '2026-10-13' },
      roadTax: { sorn: true },
      outstandingFines: 0,
      lastUpdated: '2026-06-14T08:30:00.000Z',
    });
  });

  it('exists for every registration of the sandbox, all of them normalised, and for no other', () => {
    for (const registration of sandboxRegistrations()) {
      expect(normaliseRegistration(registration)).toBe(registration);
      expect(sandboxVehicle(registration, TODAY)).toMatchObject({ registration });
    }
    for (const other of ['ZZ99ZZZ', 'DG65 OLD', '', 'constructor', ...FORCED]) {
      expect([sandboxVehicle(other, TODAY), sandboxCompliance(other, TODAY)]).toEqual([undefined, undefined]);
    }
  });
});

describe('A forced outcome', () => {
  it('has the code and the headers of the real error, and a detail that names the sandbox', () => {
    for (const registration of FORCED) {
      expect(normaliseRegistration(registration)).toBe(registration);
      const expected = {
        code: FORCED_OUTCOMES[registration as keyof typeof FORCED_OUTCOMES],
        message: expect.stringContaining('sandbox'),
        headers: problems.INTERNAL_ERROR.headers,
        isForced: true,
      };
      expect(() => requireUnforced(registration)).toThrow(expect.objectContaining(expected));
    }
  });

  it.each(['AB12CDE', 'ER19', 'constructor', 'toString'])('is none for %s', (registration) => {
    expect([isForced(registration), requireUnforced(registration)]).toEqual([false, undefined]);
  });
});
