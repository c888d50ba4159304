/** Maximum number of entries. Beyond it the least recently remembered one is forgotten. */
const MAX_ENTRIES = 1_000;

/** A map of bounded size, which an instance keeps between requests. */
export const recentMap = <Value>(maxEntries = MAX_ENTRIES) => {
  const values = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => values.get(key),

    remember: (key: string, value: Value): void => {
      values.delete(key);
      values.set(key, value);
      const [leastRecent] = values.keys();
      if (values.size > maxEntries && leastRecent !== undefined) values.delete(leastRecent);
    },

    forget: (key: string): void => void values.delete(key),
  };
};

export type RecentMap<Value> = ReturnType<typeof recentMap<Value>>;
