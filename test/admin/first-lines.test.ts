import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstLines, registrationFingerprint } from '../../lib/admin/import/records/registrations.ts';

const registration = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ÄÖÜÅ'),
  minLength: 1,
  maxLength: 12,
});

describe('firstLines', () => {
  it('returns what a Map would, also after growing', () => {
    fc.assert(
      fc.property(fc.array(registration, { maxLength: 50 }), (keys) => {
        const seen = firstLines(0);
        const model = new Map<string, number>();
        for (const [index, key] of keys.entries()) {
          expect(seen.find(registrationFingerprint(key))).toBe(model.get(key));
          expect(seen.claim(registrationFingerprint(key), index + 1)).toBe(model.get(key));
          if (!model.has(key)) model.set(key, index + 1);
        }
      }),
    );
  });

  it('keeps more keys than it was made for', () => {
    const seen = firstLines(10);
    const keys = Array.from({ length: 20_000 }, (_, index) => ({ high: index % 7, low: index }));
    for (const [index, key] of keys.entries()) expect(seen.claim(key, index + 1)).toBeUndefined();
    expect(keys.map((key) => seen.claim(key, 99_999))).toEqual(keys.map((_, index) => index + 1));
  });
});

describe('registrationFingerprint', () => {
  it('fits into two words of 32 bits and is never shared', () => {
    fc.assert(
      fc.property(registration, registration, (one, other) => {
        const [a, b] = [registrationFingerprint(one), registrationFingerprint(other)];
        expect(a.high === b.high && a.low === b.low).toBe(one === other);
        expect(Math.max(a.high, a.low)).toBeLessThan(2 ** 32);
      }),
    );
    expect(registrationFingerprint('ÅÅÅÅÅÅÅÅÅÅÅÅ')).toEqual({ high: 4_201_025_640, low: 4_201_025_640 });
  });
});
