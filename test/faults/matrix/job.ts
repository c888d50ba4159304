import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startApi, type TestApi } from '../../support/api.ts';
import { type Attempt, type Cell, cellOf } from './cell.ts';
import { kinds } from './fault-kinds.ts';
import { persistentFailures, runPersistentFailure } from './persistent-failures.ts';
import { makePlans } from './plans.ts';
import { runTransientFailure, transientFailures } from './transient-failures.ts';

/** All cells of a kind of fault. */
export interface Job {
  readonly kind: string;
  /** Long: single faults on each database request in turn, and one scenario at a time. */
  readonly isLong: boolean;
}

/** What a job came to. */
export interface JobResult {
  readonly cells: readonly Cell[];
  /** Rounds that were done again because this machine had added faults of its own. */
  readonly repeated: number;
}

/** How often a round is done again at most. */
const MAX_REPEATS = 3;
/** Milliseconds for which this process may stand still: the SDK gives a connection 300. */
const MAX_STALL = 200;
const NANOSECONDS = 1e6;

/**
 * Runs a round. Service, proxy and engine share this process: where it stood still, or a client gave up on an answer
 * that no fault held back, the machine added a fault that nobody chose. A expectation violations then says nothing, so the round
 * is done again with new records; what breaks in the last repetition counts, whatever the machine did.
 */
const steadily = async (
  api: TestApi,
  round: () => Promise<Attempt[]>,
): Promise<{ attempts: Attempt[]; repeated: number }> => {
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  for (let repeated = 0; ; repeated += 1) {
    stalls.reset();
    const attempts = await round();
    const isDisturbed = stalls.max / NANOSECONDS > MAX_STALL || api.faults.calls.some(({ isAbandoned }) => isAbandoned);
    const isBroken = attempts.some(({ violations }) => violations.length > 0);
    if (isBroken && isDisturbed && repeated < MAX_REPEATS) continue;
    stalls.disable();
    return { attempts, repeated };
  }
};

/**
 * On an engine, a gateway and an SDK client of its own, so that no kind of fault leaves something to the next. Single
 * faults come first, since the SDK saves its retries once many have failed.
 */
export const runJob = async ({ kind: name, isLong }: Job): Promise<JobResult> => {
  const kind = kinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no kind of fault ${name}`);
  const api = await startApi();
  try {
    const plans = await makePlans(api);
    const works = [
      ...transientFailures(plans, kind, isLong).map((failure) => ({
        isPersistent: false,
        work: () => runTransientFailure(api, kind, failure),
      })),
      ...persistentFailures(plans, kind, isLong).map((round) => ({
        isPersistent: true,
        work: () => runPersistentFailure(api, kind, round),
      })),
    ];
    const cells: Cell[] = [];
    let repeats = 0;
    for (const { isPersistent, work } of works) {
      const { attempts, repeated } = await steadily(api, work);
      cells.push(...attempts.map((made) => cellOf(made, name, isPersistent)));
      repeats += repeated;
    }
    return { cells, repeated: repeats };
  } finally {
    await api.stop();
  }
};
