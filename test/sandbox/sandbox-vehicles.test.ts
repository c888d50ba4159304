import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { verdictOn } from '../../core/compliance/verdict.ts';
import { problems } from '../../core/problems.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { FORCED_OUTCOMES } from '../../core/sandbox/lookup-sources.ts';
import { SANDBOX_VEHICLES } from '../../core/sandbox/sandbox-vehicles.ts';
import { INSURANCE_STATUSES, insuranceOn } from '../../core/vehicles/insurance.ts';
import { sampleComplianceRecords, sampleVehicleRecords } from '../../lib/local/sample-database.ts';

const DAYS = ['2026-06-15T12:00:00Z', '2026-12-31T23:59:59Z', '2024-02-29T00:00:00Z', '2026-06-15T23:30:00Z'];

describe.each(DAYS)('The sandbox vehicles at %s', (instant) => {
  const now = new Date(instant);
  const today = londonDate(now);
  const vehicles = sampleVehicleRecords(now);
  const records = new Map(sampleComplianceRecords(now).map((record) => [record.registration, record]));

  it('are at least 30 distinct registrations', () => {
    expect(new Set(vehicles.map(({ registration }) => registration)).size).toBe(SANDBOX_VEHICLES.length);
    expect(SANDBOX_VEHICLES.length).toBeGreaterThanOrEqual(30);
  });

  it('cover every status of insurance', () => {
    const states = new Set(vehicles.map(({ policies }) => insuranceOn(today, policies).status));
    expect(states).toEqual(new Set(INSURANCE_STATUSES));
  });

  it('cover every reason, exemption and a vehicle without a record', () => {
    const verdicts = vehicles.flatMap((vehicle) => {
      const record = records.get(vehicle.registration);
      return record ? [verdictOn(today, vehicle, record)] : [];
    });
    expect(new Set(verdicts.flatMap(({ reasons }) => reasons)).size).toBe(7);
    expect(verdicts.some(({ compliant }) => compliant)).toBe(true);
    expect([...records.values()].some(({ mot, roadTax }) => 'exempt' in mot && 'exempt' in roadTax)).toBe(true);
    expect(records.size).toBeLessThan(vehicles.length);
  });
});

describe('The page of sample data', () => {
  it('lists every sample vehicle with its outcome', () => {
    const page = readFileSync(new URL('../../docs/sample-data.md', import.meta.url), 'utf8');
    const now = new Date('2026-06-15T12:00:00Z');
    const records = new Map(sampleComplianceRecords(now).map((record) => [record.registration, record]));
    const rows = sampleVehicleRecords(now).map((vehicle, index) => {
      const sample = SANDBOX_VEHICLES[index];
      const { status } = insuranceOn(londonDate(now), vehicle.policies);
      const record = records.get(vehicle.registration);
      const verdict = record && verdictOn(londonDate(now), vehicle, record);
      const compliance = verdict
        ? verdict.reasons.map((reason) => `\`${reason}\``).join(' ') || 'compliant'
        : 'no record';
      return `| ${sample?.registration} | ${status.toLowerCase().replace('_', ' ')} | ${compliance} |`;
    });
    for (const row of rows) expect(page).toContain(row);
  });

  it('lists every registration whose outcome is forced, with its code', () => {
    const page = readFileSync(new URL('../../docs/sample-data.md', import.meta.url), 'utf8').replaceAll(' ', '');
    for (const [registration, code] of Object.entries(FORCED_OUTCOMES)) {
      expect(page).toContain(`|${registration}|${problems[code].status}\`${code}\`,`);
    }
  });
});
