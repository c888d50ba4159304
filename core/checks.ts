/** The checks of a compliance verdict, of which a stage may leave some out (docs/contract.md#compliance). */

export const CHECKS = ['insurance', 'mot', 'roadTax', 'fines'] as const;

export type Check = (typeof CHECKS)[number];

/**
 * The checks that count.
 * @param text their names, separated by commas; all of them when absent
 * @throws Error whose message says how to name them
 */
export const checksFrom = (text?: string): readonly Check[] => {
  if (text === undefined) return CHECKS;
  const names = text.split(',');
  const isKnown = names.every((name) => CHECKS.some((check) => check === name));
  if (!isKnown) throw new Error(`CHECKS must be one or more of ${CHECKS.join(', ')}, separated by commas`);
  return CHECKS.filter((check) => names.includes(check));
};
