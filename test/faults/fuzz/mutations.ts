/** Small damage to a JSON value, done at one of its places. */
import fc from 'fast-check';
import { prototypeKeys, unusualJson } from './unusual-values.ts';

type Steps = readonly string[];

/** One damage, and where: the place is chosen by number among those that the value has. */
interface Mutation {
  readonly nth: number;
  readonly what: string;
  readonly change: (entries: [string, unknown][], name: string) => [string, unknown][];
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The steps to every place below a value, outer ones first. */
const placesIn = (value: unknown, at: Steps = []): Steps[] =>
  isContainer(value)
    ? Object.entries(value).flatMap(([name, inner]) => [[...at, name], ...placesIn(inner, [...at, name])])
    : [];

/** A copy of the value with the entries around one place changed. Arrays stay arrays. */
const changedAt = (value: unknown, steps: Steps, change: Mutation['change']): unknown => {
  const [name, ...rest] = steps;
  if (name === undefined || !isContainer(value)) return value;
  const entries = Object.entries(value);
  const changed =
    rest.length === 0
      ? change(entries, name)
      : entries.map(([key, inner]): [string, unknown] => [key, key === name ? changedAt(inner, rest, change) : inner]);
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
};

const replaced =
  (replace: (value: unknown) => unknown): Mutation['change'] =>
  (entries, name) =>
    entries.map(([key, value]) => [key, key === name ? replace(value) : value]);

const renamed =
  (rename: (name: string) => string): Mutation['change'] =>
  (entries, name) =>
    entries.map(([key, value]) => [key === name ? rename(key) : key, value]);

const nth = fc.nat(1_000_000);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({
    nth,
    what: fc.constant('removed'),
    change: fc.constant<Mutation['change']>((entries, name) => entries.filter(([key]) => key !== name)),
  }),
  fc.record({ nth, what: fc.constant('null'), change: fc.constant(replaced(() => null)) }),
  unusualJson.chain((wild) =>
    fc.record({ nth, what: fc.constant('of another value'), change: fc.constant(replaced(() => wild)) }),
  ),
  fc.record({ nth, what: fc.constant('in an array'), change: fc.constant(replaced((value) => [value])) }),
  fc.record({ nth, what: fc.constant('as text'), change: fc.constant(replaced((value) => JSON.stringify(value))) }),
  fc.record({
    nth,
    what: fc.constant('under a name in capitals'),
    change: fc.constant(renamed((name) => name.toUpperCase())),
  }),
  prototypeKeys.chain((keys) =>
    fc.record({
      nth,
      what: fc.constant('beside a prototype key'),
      change: fc.constant<Mutation['change']>((entries) => [...entries, ...Object.entries(keys)]),
    }),
  ),
);

/** A damaged value and, in words, what was done to it; the words name places, never values. */
export interface Damaged {
  readonly value: unknown;
  readonly about: readonly string[];
}

/** Names come from what was sent before: only those are told that are names as the service has them. */
const readable = (steps: Steps): string => steps.map((name) => (/^[\w-]{1,30}$/.test(name) ? name : '…')).join('.');

const damage = (damaged: Damaged, { nth, what, change }: Mutation): Damaged => {
  const places = placesIn(damaged.value);
  const steps = places[nth % places.length];
  if (steps === undefined) return damaged;
  return { value: changedAt(damaged.value, steps, change), about: [...damaged.about, `${readable(steps)} ${what}`] };
};

/** The value with up to `most` damages, often none. */
export const damaged = (value: unknown, most = 3): fc.Arbitrary<Damaged> =>
  fc
    .array(mutation, { maxLength: most })
    .map((mutations) => mutations.reduce(damage, { value, about: [] as string[] }));
