import type { TestApi } from '../../support/api.ts';
import { type Attempt, attempt, judge, requireSound, requireStruck } from './cell.ts';
import { ownerOf, type Struck } from './rounds.ts';

/** Asks all that a round strikes at once, and judges each answer and what is stored while the fault is still there. */
export const judgedAttempts = async (api: TestApi, struck: readonly Struck[]): Promise<Attempt[]> => {
  const attempts = await Promise.all(struck.map(attempt));
  const hit = api.faults.calls.filter(({ fault }) => fault !== undefined).map((call) => ownerOf(struck, call));
  for (const made of attempts) {
    requireStruck(hit.includes(made.struck), made);
    await judge(api, made);
  }
  await requireSound(api, attempts);
  return attempts;
};
