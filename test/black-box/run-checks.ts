import { openApi, type Target } from './api.ts';
import type { Check } from './check.ts';
import { checks } from './checks.ts';

/** Runs checks one after the other and returns how many held. @throws the first fault, with the check's name */
export const runChecks = async (
  target: Target,
  say: (line: string) => void,
  wanted: readonly Check[] = checks,
): Promise<number> => {
  const api = openApi(target);
  try {
    for (const { name, run } of wanted) {
      await run(api).catch((cause: unknown) => {
        throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      say(`  ✓ ${name}`);
    }
    return wanted.length;
  } finally {
    api.close();
  }
};
