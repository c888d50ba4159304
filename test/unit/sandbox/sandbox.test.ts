import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHECKS } from '../../../core/checks.ts';
import { verdictOn } from '../../../core/compliance/verdict.ts';
import { internalError, problems } from '../../../core/problems.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { FORCED_OUTCOMES, isForced, throwForcedError } from '../../../core/sandbox/lookup-sources.ts';
import {
  SANDBOX_VEHICLES,
  sandboxCompliance,
  sandboxRegistrations,
  sandboxVehicle,
} from '../../../core/sandbox/sandbox-records.ts';
import { INSURANCE_STATUSES, insuranceOn } from '../../../core/vehicles/insurance.ts';
import { requireRegistration } from '../../../core/vehicles/registration.ts';
import { sampleComplianceRecords, sampleVehicleRecords } from '../../../local/sample-database.ts';

const TODAY = '2026-06-15';
const page = readFileSync(new URL('../../../docs/sample-data.md', import.meta.url), 'utf8');

/** Every sandbox vehicle at an instant, with its insurance and its verdict, if it has one. */
const vehiclesAt = (now: Date) => {
  const today = londonDate(now);
  const records = new Map(sampleComplianceRecords(now).map((record) => [record.registration, record]));
  return sampleVehicleRecords(now).map((vehicle) => {
    const record = records.get(vehicle.registration);
    const { status } = insuranceOn(today, vehicle.policies);
    return { record, status, verdict: record && verdictOn(today, vehicle, record, CHECKS) };
  });
};

describe('The sandbox vehicles', () => {
  it('are at least 30 distinct registrations', () => {
    expect(new Set(sandboxRegistrations()).size).toBe(SANDBOX_VEHICLES.length);
    expect(SANDBOX_VEHICLES.length).toBeGreaterThanOrEqual(30);
  });

  it.each(['2026-06-15T12:00:00Z', '2026-12-31T23:59:59Z', '2024-02-29T00:00:00Z', '2026-06-15T23:30:00Z'])(
    'cover at %s every status of insurance, every reason, exemption and a vehicle without a record',
    (instant) => {
      const vehicles = vehiclesAt(new Date(instant));
      const verdicts = vehicles.flatMap(({ verdict }) => verdict ?? []);
      expect(new Set(vehicles.map(({ status }) => status))).toEqual(new Set(INSURANCE_STATUSES));
      expect(new Set(verdicts.flatMap(({ reasons }) => reasons)).size).toBe(10);
      expect(verdicts.some(({ compliant }) => compliant)).toBe(true);
      expect(
        verdicts.some(({ details: { mot, roadTax } }) => mot.status === 'EXEMPT' && roadTax.status === 'EXEMPT'),
      ).toBe(true);
      expect(verdicts.length).toBeLessThan(vehicles.length);
    },
  );

  it('are found by their key, with dates relative to the day', () => {
    const policy = { number: 'POL-1003-1', insurer: 'Castle & Crown Insurance', type: 'Comprehensive' };
    const key = requireRegistration('DG65 OLD');
    expect(sandboxVehicle(key, TODAY)).toEqual({
      registration: 'DG65OLD',
      vehicle: { make: 'Nissan', model: 'Qashqai', year: 2015, color: 'White' },
      policies: [{ ...policy, validFrom: '2025-06-15', validTo: '2026-06-14' }],
      lastUpdated: '2026-06-14T08:30:00.000Z',
    });
    expect(sandboxVehicle(key, '2028-03-01')?.policies[0]?.validTo).toBe('2028-02-29');
    for (const other of ['ZZ99ZZZ', ...Object.keys(FORCED_OUTCOMES)].map(requireRegistration)) {
      expect(sandboxVehicle(other, TODAY)).toBeUndefined();
      expect(sandboxCompliance(other, TODAY)).toBeUndefined();
    }
  });

  it('are listed in docs/sample-data.md with their outcomes', () => {
    for (const [index, { status, verdict }] of vehiclesAt(new Date('2026-06-15T12:00:00Z')).entries()) {
      const reasons = verdict?.reasons.map((reason) => `\`${reason}\``).join(' ');
      const compliance = reasons === '' ? 'compliant' : (reasons ?? 'no record');
      const insurance = status.toLowerCase().replace('_', ' ');
      expect(page).toContain(`| ${SANDBOX_VEHICLES[index]?.registration} | ${insurance} | ${compliance} |`);
    }
  });
});

describe('A forced outcome', () => {
  it.each(Object.entries(FORCED_OUTCOMES))('of %s is %s, with the headers of the real error', (registration, code) => {
    const key = requireRegistration(registration);
    expect(key).toBe(registration);
    const message = expect.stringContaining('sandbox');
    const expected = { code, message, headers: internalError().headers, isForced: true };
    expect(() => throwForcedError(key)).toThrow(expect.objectContaining(expected));
    expect(page.replaceAll(' ', '')).toContain(`|${registration}|${problems[code].status}\`${code}\`,`);
  });

  it.each(['AB12CDE', 'ER19'].map(requireRegistration))('is none for %s', (key) => {
    expect(isForced(key)).toBe(false);
    expect(throwForcedError(key)).toBeUndefined();
  });
});
