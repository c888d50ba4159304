/**
 * Makes the code of a side deterministic, so that it does the same again when it gets the same responses: the clock
 * stands still, timers fire at once or never, and random numbers are the same in each run. The globals are replaced,
 * because the product makes deadlines in twelve places and draws random numbers in six, mostly in commands.
 */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { EngineResponse } from '../../local/engine/protocol.ts';
import type { Request } from './engine.ts';

/** The longest pause of the product, in milliseconds. Longer timers are deadlines, which no search reaches. */
const LONGEST_PAUSE_MS = 1_000;

/** A side whose code runs. */
export interface RunningSide {
  /** A hexadecimal digit with which all its ids begin. */
  readonly digit: string;
  /** Its present request, and how many ids that has drawn. */
  turn: number;
  drawn: number;
  readonly send: (request: Request) => Promise<EngineResponse>;
}

let running: RunningSide | undefined;

/** From here on the code of this side runs; none when undefined. */
export const enter = (next: RunningSide | undefined): void => {
  running = next;
};

export const runningSide = (): RunningSide | undefined => running;

const real = {
  now: performance.now.bind(performance),
  setTimeout: globalThis.setTimeout,
  randomUUID: crypto.randomUUID,
  randomInt: crypto.randomInt,
  randomBytes: crypto.randomBytes,
};

/** An id that no other draw of any side has. */
const idOf = ({ digit, turn }: RunningSide, drawn: number): string =>
  `${digit.repeat(8)}-${String(turn).padStart(4, '0')}-4000-8000-${String(drawn).padStart(12, '0')}`;

// The engine returns the items of a batch in a random order.
Object.assign(Math, { random: () => 0.5 });
Object.assign(performance, { now: () => (running ? 0 : real.now()) });
Object.assign(globalThis, {
  setTimeout: (fire: () => void, milliseconds = 0) => {
    if (running === undefined) return real.setTimeout(fire, milliseconds);
    // A pause only delays the next call, which the search delays in every way anyway.
    return milliseconds <= LONGEST_PAUSE_MS ? queueMicrotask(fire) : undefined;
  },
});
Object.assign(crypto, {
  randomUUID: () => {
    if (running === undefined) return real.randomUUID();
    running.drawn += 1;
    return idOf(running, running.drawn);
  },
  randomBytes: (size: number) =>
    running ? Buffer.from(crypto.randomUUID().replaceAll('-', ''), 'hex') : real.randomBytes(size),
  // The same each time: a key is made again when another change comes between, and its value must not tell.
  randomInt: (max: number) =>
    running ? createHash('sha256').update(idOf(running, 0)).digest().readUInt32BE() % max : real.randomInt(max),
});
syncBuiltinESMExports();
