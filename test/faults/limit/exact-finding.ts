import type { Finding } from '../../../tools/report/report.ts';

/** How many windows there were, and in how many of them everything was as it should be. */
export interface ExactWindows {
  readonly all: number;
  /** In which the SDK never had to ask twice because this machine was too slow: only these can show anything. */
  readonly undisturbed: number;
  readonly exact: number;
}

/** Holds when every undisturbed window is exact, and there are some; tells of the others. */
export const exactFinding = (promise: string, { all, undisturbed, exact }: ExactWindows): Finding => {
  const disturbed = all > undisturbed ? `; in ${all - undisturbed} more this machine was too slow` : '';
  return {
    promise,
    found: `${exact} of ${undisturbed} windows did${disturbed}`,
    holds: undisturbed > 0 && exact === undisturbed,
  };
};
