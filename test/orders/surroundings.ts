/**
 * What one side of a search sees of the machine: a clock that stands still but for its own pauses, timers, and random numbers
 * that are the same in each run. So a side does the same again when it gets the same responses.
 */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** The longest pause of the product, in milliseconds. Longer timers are deadlines, which no search reaches. */
const LONGEST_PAUSE_MS = 1_000;

interface Timer {
  readonly at: number;
  readonly isPause: boolean;
  readonly fire: () => void;
}

/** The surroundings of a side, by a hexadecimal digit that all its ids begin with. */
export const newSurroundings = (digit: string) => ({ digit, clock: 0, timers: new Set<Timer>(), turn: 0, drawn: 0 });

export type Surroundings = ReturnType<typeof newSurroundings>;

let present: Surroundings | undefined;

/** From here on the code that runs sees these; the machine's own when undefined. */
export const enter = (surroundings: Surroundings | undefined): void => {
  present = surroundings;
};

/** Random numbers are then the same for the same request of a side, whatever its earlier requests have drawn. */
export const beginRequest = (surroundings: Surroundings, turn: number): void => {
  Object.assign(surroundings, { turn, drawn: 0 });
};

/** Ends the earliest pause. A pause only delays the next call, which the search delays in every way anyway. */
export const endPause = (surroundings: Surroundings): boolean => {
  const [next] = [...surroundings.timers].filter(({ isPause }) => isPause).sort((a, b) => a.at - b.at);
  if (next === undefined) return false;
  surroundings.timers.delete(next);
  surroundings.clock = Math.max(surroundings.clock, next.at);
  next.fire();
  return true;
};

const real = {
  now: performance.now.bind(performance),
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  sleep: timers.setTimeout,
  randomUUID: crypto.randomUUID,
  randomInt: crypto.randomInt,
};

/** A text that no other draw of any side has. */
const draw = ({ digit, turn }: Surroundings, drawn: number): string =>
  `${digit.repeat(8)}-${String(turn).padStart(4, '0')}-4000-8000-${String(drawn).padStart(12, '0')}`;

const nextDraw = (surroundings: Surroundings): string => {
  surroundings.drawn += 1;
  return draw(surroundings, surroundings.drawn);
};

const addTimer = ({ clock, timers }: Surroundings, fire: () => void, milliseconds: number): Timer => {
  const timer = { at: clock + milliseconds, isPause: milliseconds <= LONGEST_PAUSE_MS, fire };
  timers.add(timer);
  return timer;
};

Object.assign(performance, { now: () => present?.clock ?? real.now() });
Object.assign(Math, { random: () => 0.5 });
Object.assign(globalThis, {
  setTimeout: (fire: () => void, milliseconds = 0) =>
    present ? addTimer(present, fire, milliseconds) : real.setTimeout(fire, milliseconds),
  clearTimeout: (timer: unknown) =>
    present ? void present.timers.delete(timer as Timer) : real.clearTimeout(timer as NodeJS.Timeout),
});
Object.assign(timers, {
  setTimeout: (milliseconds: number) => {
    const surroundings = present;
    if (surroundings === undefined) return real.sleep(milliseconds);
    return new Promise<void>((resolve) => addTimer(surroundings, resolve, milliseconds));
  },
});
Object.assign(crypto, {
  randomUUID: () => (present ? nextDraw(present) : real.randomUUID()),
  // The same each time: a key is made again when another change comes between, and its value must not tell.
  randomInt: (max: number) =>
    present ? createHash('sha256').update(draw(present, 0)).digest().readUInt32BE() % max : real.randomInt(max),
});
syncBuiltinESMExports();
