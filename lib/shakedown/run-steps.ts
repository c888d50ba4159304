/** Runs the steps of a shakedown. */

export interface Step<Target> {
  readonly title: string;
  /** Throws when the step fails. Absent where it is checked by hand. */
  readonly run?: (target: Target) => Promise<unknown>;
  /** An emulator cannot show it. */
  readonly isAwsOnly?: boolean;
  /** Runs even when the first step has failed, as the clean-up must. */
  readonly isAlways?: boolean;
}

export interface StepResult {
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'not seen';
  /** Absent when it passed. */
  readonly reason?: string;
  readonly minutes: number;
}

/** Characters of a reason, the end of a command's output. */
const MAX_REASON = 2_000;
const MINUTE_MS = 60_000;

const reasonNotToRun = <Target>(step: Step<Target>, isAws: boolean, hasFirstFailed: boolean): string | undefined => {
  if (step.run === undefined) return 'look at it by hand';
  if (step.isAwsOnly && !isAws) return 'an emulator does not have it';
  return hasFirstFailed && !step.isAlways ? 'the first step failed' : undefined;
};

const runStep = async <Target>({ title, run }: Step<Target>, target: Target): Promise<StepResult> => {
  const start = performance.now();
  const minutes = () => Math.round((performance.now() - start) / MINUTE_MS);
  try {
    await run?.(target);
    return { title, outcome: 'passed', minutes: minutes() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { title, outcome: 'failed', reason: reason.slice(-MAX_REASON), minutes: minutes() };
  }
};

/** Runs the steps in order. Only a failure of the first one skips others. `report` gets each result. */
export const runSteps = async <Target>(
  steps: readonly Step<Target>[],
  target: Target,
  isAws: boolean,
  report: (result: StepResult) => void,
): Promise<readonly StepResult[]> => {
  const results: StepResult[] = [];
  for (const step of steps) {
    const reason = reasonNotToRun(step, isAws, results[0]?.outcome === 'failed');
    const result: StepResult =
      reason === undefined
        ? await runStep(step, target)
        : { title: step.title, outcome: 'not seen', reason, minutes: 0 };
    results.push(result);
    report(result);
  }
  return results;
};
