/** Every fault on every endpoint: at each operation on each table that it uses, once and lasting. */
import pLimit from 'p-limit';
import type { Run } from '../../../tools/report/report.ts';
import { forkProcess } from '../../support/forked-process.ts';
import type { Cell } from '../matrix/cell.ts';
import type { Job, JobResult } from '../matrix/job.ts';
import { kinds } from '../matrix/kinds.ts';
import { brokenTable, findingsOf, matrixTable } from '../matrix/summary.ts';

/** Processes at once, one per kind of fault: they mostly wait. */
const PROCESSES = 6;

const runApart = async (job: Job): Promise<JobResult> => {
  const { said, stop } = await forkProcess(new URL('../matrix/job-process.ts', import.meta.url), {
    args: [JSON.stringify(job)],
    silent: true,
  });
  await stop();
  return said as JobResult;
};

const explained = (cells: readonly Cell[], repeated: number, isLong: boolean): string => {
  const lasting = cells.filter(({ isLasting }) => isLasting).length;
  return [
    'Each request went through the whole service (gateway, middleware, SDK) while one fault struck one place: one operation',
    'on one table of those that the request uses, found by a run without faults. A cell is one request under one fault at',
    `one place: ${cells.length - lasting} single faults${isLong ? ', on each database request in turn' : ''}, which retries must hide, and ${lasting} that went`,
    'on, in one place or everywhere, until the answer was there. What is stored was then read past the faults: the records',
    'asked for, the usage counter, and all of content with the check behind `content check`.',
    isLong ? 'One request at a time.' : 'Requests to different endpoints at the same time, each with its own fault.',
    `${repeated} rounds were done again because a promise was broken while this machine stood still (over 200 ms) or kept`,
    'an answer back by itself.',
  ].join('\n');
};

const run: Run = async (progress, size) => {
  const isLong = size === 'long';
  const turn = pLimit(PROCESSES);
  // What waits longest first.
  const jobs = kinds.toSorted((a, b) => Number(b.waits) - Number(a.waits));
  let done = 0;
  const results = await Promise.all(
    jobs.map(({ name }) =>
      turn(async () => {
        const result = await runApart({ kind: name, isLong });
        done += 1;
        progress(done, jobs.length, name);
        return result;
      }),
    ),
  );
  const order = kinds.map(({ name }) => name);
  const cells = results.flatMap((result) => result.cells);
  const sorted = cells.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const repeated = results.reduce((sum, result) => sum + result.repeated, 0);
  const broken = brokenTable(sorted);
  return {
    findings: findingsOf(sorted),
    blocks: [
      { text: explained(sorted, repeated, isLong) },
      {
        text: 'Statuses after a single fault / under a lasting one. 429 is a counter that DynamoDB throttles; a bulk request that loses one batch stays 200 and calls its 100 registrations `LOOKUP_UNAVAILABLE`; `–` where nothing is read in batches.',
      },
      { table: matrixTable(sorted) },
      ...(broken ? [{ table: broken }] : []),
      {
        text: 'Limits of this proof: the engine is the embedded one, all shares the machine’s cores, and a lasting fault ends the moment its answers are there; it is no outage of hours.',
      },
    ],
  };
};
export default run;
