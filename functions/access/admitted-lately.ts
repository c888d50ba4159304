import { hashKey } from './api-key.ts';

/** Keys that are remembered; beyond that the one longest not seen is forgotten. */
const MOST_KEYS = 1_000;

/**
 * Keys that a function admitted when they last called. It admits nobody by this: it only tells for whom an expensive
 * answer may be prepared while admission asks again.
 */
export const admittedLately = (mostKeys = MOST_KEYS) => {
  const hashes = new Set<string>();
  return {
    has: (key: string): boolean => hashes.has(hashKey(key)),

    remember: (key: string): void => {
      const hash = hashKey(key);
      hashes.delete(hash);
      hashes.add(hash);
      const [longestNotSeen] = hashes;
      if (hashes.size > mostKeys && longestNotSeen !== undefined) hashes.delete(longestNotSeen);
    },

    forget: (key: string): void => void hashes.delete(hashKey(key)),
  };
};
