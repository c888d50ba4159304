/** How the time of a regular expression grows with the size of a text, as the exponent: 1 is linear, 2 is quadratic. */
import { type Attack, attackText } from './attacks.ts';

/** From this exponent on growth is too steep: in between what a linear and a quadratic one show. */
export const SUPERLINEAR = 1.5;

/** From here on it is measured again, since an interruption makes a linear one look steeper. */
const DOUBTFUL = 1.2;

/** Milliseconds under which a time says more about the clock and the caches than about the expression. */
const NOISE_MS = 0.06;
/** Milliseconds after which larger texts add nothing: it is either fast enough or clearly growing. */
const ENOUGH_MS = 12;
/** Small sizes close together, so that an exponential one is caught before it takes for ever. */
const FIRST_SIZES = [12, 16, 18, 20, 22, 24, 28, 32, 48];
const DOUBLING_FROM = 64;

/** Times taken for each size in a round, and rounds at most. */
const REPEATS = 2;
const ROUNDS = 5;
/** How many times larger the texts of each further round are. */
const WIDENED = 2;

export interface Growth {
  readonly exponent: number;
  /** For the largest text that was tried. */
  readonly milliseconds: number;
  readonly size: number;
}

interface Point {
  readonly size: number;
  readonly milliseconds: number;
}

/** The shortest of some times; the others were interrupted. */
const shortest = (pattern: RegExp, text: string): number => {
  let best = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const started = performance.now();
    text.replace(pattern, '');
    best = Math.min(best, performance.now() - started);
  }
  return best;
};

const sizesTo = (largest: number): number[] => {
  const sizes = [...FIRST_SIZES];
  for (let size = DOUBLING_FROM; size <= largest; size *= 2) sizes.push(size);
  return sizes;
};

const measure = (everyMatch: RegExp, attack: Attack, largest: number): Point[] => {
  const points: Point[] = [];
  for (const size of sizesTo(largest)) {
    const milliseconds = shortest(everyMatch, attackText(attack, size));
    points.push({ size, milliseconds });
    if (milliseconds > ENOUGH_MS) break;
  }
  return points;
};

/** The shorter time of each size. */
const shorter = (points: readonly Point[], others: readonly Point[]): Point[] =>
  [...Map.groupBy([...points, ...others], ({ size }) => size)].map(([size, same]) => ({
    size,
    milliseconds: Math.min(...same.map(({ milliseconds }) => milliseconds)),
  }));

/** The slope of the line through the logarithms (least squares); 0 where nothing took long enough to be told. */
const exponentOf = (points: readonly Point[]): number => {
  const told = points.filter(({ milliseconds }) => milliseconds >= NOISE_MS);
  if (told.length < 2) return 0;
  const xs = told.map(({ size }) => Math.log(size));
  const ys = told.map(({ milliseconds }) => Math.log(milliseconds));
  const [meanX, meanY] = [xs, ys].map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  const covariance = xs.reduce((sum, x, index) => sum + (x - (meanX ?? 0)) * ((ys[index] ?? 0) - (meanY ?? 0)), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - (meanX ?? 0)) ** 2, 0);
};

/** Steep, or stopped before the largest text: by its own time, or because the machine did something else. */
const isDoubtful = (points: readonly Point[], largest: number): boolean =>
  exponentOf(points) >= DOUBTFUL || points.every(({ size }) => size < largest);

/**
 * How long it takes to find every match in an attack's texts of up to `largest` characters, a power of 2. What is in doubt is
 * measured again, with larger texts: what else the machine did drops out of the shortest times of several rounds, and
 * over a wide range of sizes linear and quadratic lie far apart.
 */
export const growthOf = ({ source, flags }: RegExp, attack: Attack, largest: number): Growth => {
  const everyMatch = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  let points = measure(everyMatch, attack, largest);
  for (let round = 1; round < ROUNDS && isDoubtful(points, largest); round += 1) {
    points = shorter(points, measure(everyMatch, attack, largest * WIDENED ** round));
  }
  const last = points.toSorted((a, b) => a.size - b.size).at(-1) ?? { size: 0, milliseconds: 0 };
  return { exponent: exponentOf(points), ...last };
};

/** Whether the time grew too steeply, or kept the largest text from being reached at all. */
export const isSuperlinear = ({ exponent, size }: Growth, largest: number): boolean =>
  exponent >= SUPERLINEAR || size < largest;
