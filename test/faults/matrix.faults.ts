import { beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { forkCall } from '../support/fork.ts';
import { type Cell, EXPECTATIONS, type ExpectationId } from './matrix/cell.ts';
import { kinds } from './matrix/fault-kinds.ts';
import type { JobResult } from './matrix/job.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

/** At once, one per kind of fault: they mostly wait. */
const PROCESSES = 6;

const runJob = async (kind: string): Promise<readonly Cell[]> => {
  const job = { kind, isLong: bySize(false, true) };
  const { result, stop } = await forkCall<JobResult>(new URL('./matrix/job.ts', import.meta.url), 'runJob', [job]);
  await stop();
  return result.cells;
};

/** Once, and until the response is there, at each operation on each table that the endpoint uses, and everywhere. */
describe('Every endpoint under every fault', () => {
  let cells: readonly Cell[];

  beforeAll(async () => {
    const turn = pLimit(PROCESSES);
    // The slowest first.
    const names = kinds.toSorted((a, b) => Number(b.waits) - Number(a.waits)).map(({ name }) => name);
    cells = (await Promise.all(names.map((name) => turn(runJob, name)))).flat();
    reportFigures('matrix', {
      transient: cells.filter(({ isPersistent }) => !isPersistent).length,
      persistent: cells.filter(({ isPersistent }) => isPersistent).length,
      slowestMs: Math.max(...cells.map(({ milliseconds }) => milliseconds)),
      slowestRecoveryMs: Math.max(...cells.map(({ recoveryMs = 0 }) => recoveryMs)),
    });
  }, TIMEOUT_MS);

  it('is tried with transient and with persistent faults of each kind', () => {
    const tried = new Set(cells.map(({ kind, isPersistent }) => `${kind}, ${isPersistent}`));
    expect(tried).toEqual(new Set(kinds.flatMap(({ name }) => [`${name}, false`, `${name}, true`])));
  });

  it.each(Object.entries(EXPECTATIONS) as [ExpectationId, string][])('%s: %s', (id) => {
    const violated = cells.filter(({ violations }) => violations.some(({ expectation }) => expectation === id));
    expect(violated).toEqual([]);
  });
});
