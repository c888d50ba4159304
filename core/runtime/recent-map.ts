/** A map that keeps the `maxEntries` entries that were remembered last. */
export const recentMap = <Value>(maxEntries = 1_000) => {
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
