/** Texts of any size that could make a regular expression try again and again: a beginning, something repeated, an end. */
import fc from 'fast-check';

export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

/** The attack's text of about this many characters. */
export const attackText = ({ prefix, pump, suffix }: Attack, size: number): string =>
  prefix + pump.repeat(Math.ceil(size / pump.length)) + suffix;

/** One of each kind of character that expressions speak of, and one that no expression wants. */
const KINDS = ['a', 'Z', '0', ' ', '\n', '-', '.', '/', ';', ',', '+', '=', 'é', '€', '\0'];

/** Texts that match are made where fast-check can: not for look-around, Unicode properties and word boundaries, nor for case. */
const canBeMade = (source: string): boolean => !/\(\?<?[=!]|\\[pb]/i.test(source);

const MATCHES = 8;

const matchesOf = (source: string, flags: string, seed: number): string[] => {
  const supported = [...flags].filter((flag) => 'dgmsu'.includes(flag)).join('');
  return canBeMade(source)
    ? fc.sample(fc.stringMatching(new RegExp(source, supported)), { numRuns: MATCHES, seed })
    : [];
};

const sliceOf = (texts: readonly [string, ...string[]]): fc.Arbitrary<string> =>
  fc
    .record({ text: fc.constantFrom(...texts), from: fc.nat(40), length: fc.integer({ min: 1, max: 6 }) })
    .map(({ text, from, length }) => text.slice(from % Math.max(1, text.length)).slice(0, length));

const beginningOf = (texts: readonly [string, ...string[]]): fc.Arbitrary<string> =>
  fc.record({ text: fc.constantFrom(...texts), end: fc.nat(40) }).map(({ text, end }) => text.slice(0, end));

/** Attacks on one expression: each of its own characters repeated, and `count` others out of what it matches. */
export const attacksOn = (pattern: RegExp, count: number, seed: number): Attack[] => {
  const { source, flags } = pattern;
  const matches = matchesOf(source, flags, seed);
  const ownCharacters = [...new Set(source.replaceAll(/\\./g, ''))];
  const characters = [...new Set([...ownCharacters, ...KINDS])];
  const texts: [string, ...string[]] = ['', ...matches];
  const random = fc.record({
    prefix: beginningOf(texts),
    pump: fc
      .oneof(sliceOf(texts), fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 3 }))
      .map((pump) => pump || 'a'),
    suffix: fc.oneof(fc.constantFrom('', '\0', '\n'), sliceOf(texts)),
  });
  return [
    ...characters.map((pump) => ({ prefix: '', pump, suffix: '\0' })),
    ...fc.sample(random, { numRuns: count, seed }),
  ];
};
