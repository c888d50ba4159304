import { beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { endpoints } from '../../functions/endpoints/table.ts';
import { endpoint as notFound } from '../../functions/not-found/endpoint.ts';
import { forkCall } from '../support/fork.ts';
import type { Sent } from './canaries/canary-api.ts';
import { leaksIn } from './canaries/leaks.ts';
import { type Cell, EXPECTATIONS, type ExpectationId } from './matrix/job.ts';
import { kinds } from './matrix/targets.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

/** At once, one per kind of fault: they mostly wait. */
const PROCESSES = 6;

interface Run {
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly sent: Sent;
  readonly log: string;
}

/** The service in a process of its own: the process's output is the log of the service. */
const run = async (module: string, job: string, ...args: readonly unknown[]): Promise<Run> => {
  const { result, stop } = await forkCall<Omit<Run, 'log' | 'name'>>(new URL(module, import.meta.url), job, args, {
    environment: { POWERTOOLS_METRICS_NAMESPACE: 'Canaries' },
    output: 'capture',
  });
  return { name: String(args[0] ?? job), ...result, log: await stop() };
};

let runs: readonly Run[];
const cells = () => runs.flatMap((each) => each.cells);

beforeAll(async () => {
  const turn = pLimit(PROCESSES);
  const jobs = kinds.map(({ name }) => turn(run, './matrix/job.ts', 'runJob', name, bySize(false, true)));
  runs = await Promise.all([...jobs, turn(run, './canaries/unusual-requests.ts', 'sendUnusualRequests')]);
  reportFigures('matrix', {
    transient: cells().filter(({ isPersistent }) => !isPersistent).length,
    persistent: cells().filter(({ isPersistent }) => isPersistent).length,
    slowestMs: Math.max(...cells().map(({ milliseconds }) => milliseconds)),
    slowestRecoveryMs: Math.max(...cells().map(({ recoveryMs }) => recoveryMs)),
    requests: sum(runs, ({ sent }) => sent.requests),
    failures: sum(runs, ({ sent }) => sent.failures),
    logBytes: sum(runs, ({ log }) => log.length),
  });
}, TIMEOUT_MS);

/** Once, and until the response is there, at each operation on each table that the endpoint uses, and everywhere. */
describe('Every endpoint under every fault', () => {
  it('is tested with transient and with persistent faults of each kind', () => {
    const tried = new Set(cells().map(({ kind, isPersistent }) => `${kind}, ${isPersistent}`));
    expect(tried).toEqual(new Set(kinds.flatMap(({ name }) => [`${name}, false`, `${name}, true`])));
    expect(new Set(cells().map(({ endpoint }) => endpoint))).toEqual(new Set([...Object.keys(endpoints), notFound.id]));
  });

  it.each(Object.entries(EXPECTATIONS) as [ExpectationId, string][])('%s: %s', (id) => {
    const violated = cells().filter(({ violations }) => violations.some(({ expectation }) => expectation === id));
    expect(violated).toEqual([]);
  });
});

const parsed = (line: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
};

const kindOf = (line: string): string => {
  const { message, _aws } = parsed(line);
  if (_aws !== undefined) return 'request';
  return ['failure', 'damaged records'].includes(String(message)) ? String(message) : line;
};

/** How many lines of each kind a log has. Lines of no known kind are kinds of their own. */
const linesIn = (log: string) => {
  const groups = Map.groupBy(
    log.split('\n').filter((line) => line.trim() !== ''),
    kindOf,
  );
  return Object.fromEntries([...groups].map(([kind, lines]) => [kind, lines.length]));
};

/** Every value of callers and records is a canary: a word that is nowhere else. The log level is `DEBUG`. */
describe('The log of these and of unusual requests', () => {
  it('contains no key, registration, body, slug or header, in any case, encoding or hash', () => {
    expect(runs.flatMap(({ log, sent }) => leaksIn(log, sent))).toEqual([]);
  });

  it('contains one line per request, one line per failure, and nothing else', () => {
    const actual = runs.map(({ name, log }) => ({
      name,
      failure: 0,
      'damaged records': 0,
      ...linesIn(log),
    }));
    const expected = runs.map(({ name, cells, sent: { requests, failures, unread } }) => ({
      // Without faults a registration is unread because its record is damaged, which has a line of its own kind.
      ...{ name, request: requests, failure: failures + (cells.length > 0 ? unread : 0) },
      'damaged records': expect.any(Number),
    }));
    expect(actual).toEqual(expected);
    expect(sum(runs, ({ sent }) => sent.failures)).toBeGreaterThan(0);
  });
});
