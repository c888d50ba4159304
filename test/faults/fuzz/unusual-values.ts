/** Values that nobody should send. All of them can come out of `JSON.parse`; `jsonTextOf` makes the JSON that they come from. */
import fc from 'fast-check';

/** Stand for what an object cannot hold on its way into JSON: a number beyond every double, and very deep nesting. */
const BEYOND_NUMBERS = '@a number beyond every double';
const VERY_DEEP = '@10,000 levels';
const LEVELS = 10_000;

/** JSON of a value, its stand-ins replaced by what they stand for. */
export const jsonTextOf = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null')
    .replaceAll(JSON.stringify(BEYOND_NUMBERS), '1e999')
    .replaceAll(JSON.stringify(VERY_DEEP), '['.repeat(LEVELS) + ']'.repeat(LEVELS));

const UNUSUAL_TEXTS = [
  '',
  ' ',
  '\0',
  '\n',
  '\r\nX-Injected: 1',
  '0',
  '-1',
  'null',
  'undefined',
  'NaN',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  '%00',
  '%',
  '%c0%af',
  '{}',
  '"',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '\ud800',
  '\udc00x',
  '\ufeff',
  '\u202e',
  'İ',
  'ß',
  '👩‍👩‍👧‍👦',
  'AB12CDE',
  '*',
  '"1"',
  '9'.repeat(400),
];

/** Text of any kind: notorious, of any characters, long. */
export const unusualText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...UNUSUAL_TEXTS) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'Ä', ' ', '\\', '%41').chain((unit) => longTextOf(unit)) },
);

const longTextOf = (unit: string) => fc.integer({ min: 30, max: 12_000 }).map((times) => unit.repeat(times));

/** Objects whose names reach for a prototype; `fromEntries` makes `__proto__` a name like any other. */
export const prototypeKeys: fc.Arbitrary<object> = fc
  .constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON')
  .chain((name) =>
    fc
      .constantFrom<unknown>({ polluted: true }, { prototype: { polluted: true } }, null, 'polluted', 1)
      .map((value) => Object.fromEntries([[name, value]])),
  );

/** A JSON value of any kind. */
export const unusualJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, 0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(BEYOND_NUMBERS, VERY_DEEP) },
  { weight: 3, arbitrary: unusualText },
  { weight: 1, arbitrary: prototypeKeys },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((length) => Array.from({ length }, () => null)) },
);
