import type { TestApi } from '../../support/api.ts';
import { type Attempt, attempt, judge, requireInjected, requireSound } from './cell.ts';
import { type InjectedFault, ownerOf } from './rounds.ts';

/** Asks all that a round applies at once, and judges each answer and what is stored while the fault is still there. */
export const judgedAttempts = async (api: TestApi, injected: readonly InjectedFault[]): Promise<Attempt[]> => {
  const attempts = await Promise.all(injected.map(attempt));
  const hit = api.faults.calls.filter(({ fault }) => fault !== undefined).map((call) => ownerOf(injected, call));
  for (const made of attempts) {
    requireInjected(hit.includes(made.injected), made);
    await judge(api, made);
  }
  await requireSound(api, attempts);
  return attempts;
};
