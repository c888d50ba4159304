import type { Plan } from './plans.ts';

/** Maximum number of keys. Beyond it the least recently admitted one is forgotten. */
const MAX_KEYS = 1_000;

/**
 * The plans of the keys that this instance admitted on their last request, by hash. They never replace admission: they only
 * decide whether an expensive load may start while admission runs.
 */
export const recentlyAdmittedKeys = (maxKeys = MAX_KEYS) => {
  const plans = new Map<string, Plan>();
  return {
    planOf: (hash: string): Plan | undefined => plans.get(hash),

    remember: (hash: string, plan: Plan): void => {
      plans.delete(hash);
      plans.set(hash, plan);
      const [leastRecent] = plans.keys();
      if (plans.size > maxKeys && leastRecent !== undefined) plans.delete(leastRecent);
    },

    forget: (hash: string): void => void plans.delete(hash),
  };
};

export type RecentlyAdmittedKeys = ReturnType<typeof recentlyAdmittedKeys>;
