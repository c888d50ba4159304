/** Many cells, made into findings and a table. */
import type { Finding, Table, Cell as TableCell } from '../../../tools/report/report.ts';
import { type Cell, PROMISES, type PromiseId } from './cell.ts';

const NOTHING = '–';
/** Broken promises that are shown; the findings count all of them. */
const MAX_SHOWN = 30;

const slowest = (milliseconds: readonly (number | undefined)[]): TableCell => {
  const known = milliseconds.filter((each) => each !== undefined);
  return known.length === 0 ? NOTHING : Math.round(Math.max(...known));
};

const slowestAnswer = (cells: readonly Cell[]) => slowest(cells.map(({ milliseconds }) => milliseconds));
const slowestRecovery = (cells: readonly Cell[]) => slowest(cells.map(({ recoveryMs }) => recoveryMs));

const statuses = (cells: readonly Cell[]): string =>
  [...new Set(cells.map(({ status }) => status))].sort().join(' ') || NOTHING;

const answersIn = (cells: readonly Cell[]): string => {
  if (cells.length === 0) return NOTHING;
  const [once, lasting] = [false, true].map((isLasting) => cells.filter((cell) => cell.isLasting === isLasting));
  return `${statuses(once ?? [])} / ${statuses(lasting ?? [])}`;
};

/** Requests by faults: the statuses after a single fault and under a lasting one, and the slowest of each. */
export const matrixTable = (cells: readonly Cell[]): Table => {
  const kinds = [...new Set(cells.map(({ kind }) => kind))];
  const ofKind = kinds.map((kind) => cells.filter((cell) => cell.kind === kind));
  const rows = [...Map.groupBy(cells, ({ scenario }) => scenario)].map(([scenario, own]) => [
    scenario,
    ...kinds.map((kind) => answersIn(own.filter((cell) => cell.kind === kind))),
    slowestAnswer(own),
    slowestRecovery(own),
  ]);
  return {
    head: ['request', ...kinds, 'slowest answer, ms', 'slowest recovery, ms'],
    rows: [
      ...rows,
      ['slowest answer, ms', ...ofKind.map(slowestAnswer), slowestAnswer(cells), ''],
      ['slowest recovery, ms', ...ofKind.map(slowestRecovery), '', slowestRecovery(cells)],
    ],
  };
};

const measured: Partial<Record<PromiseId, (cells: readonly Cell[]) => string>> = {
  deadline: (cells) => `, slowest ${slowestAnswer(cells)} ms`,
  recovery: (cells) => `, slowest ${slowestRecovery(cells)} ms`,
};

/** Every promise, and in how many cells it was kept. */
export const findingsOf = (cells: readonly Cell[]): Finding[] =>
  (Object.keys(PROMISES) as PromiseId[]).map((id) => {
    const judged = id === 'recovery' ? cells.filter(({ isLasting }) => isLasting) : cells;
    const kept = judged.filter(({ broken }) => broken.every(({ promise }) => promise !== id));
    return {
      promise: PROMISES[id],
      found: `${kept.length} of ${judged.length} cells${measured[id]?.(judged) ?? ''}`,
      holds: judged.length > 0 && kept.length === judged.length,
    };
  });

/** Where promises were broken, and how; undefined when nowhere. */
export const brokenTable = (cells: readonly Cell[]): Table | undefined => {
  const rows = cells.flatMap(({ scenario, kind, place, isLasting, broken }) =>
    broken.map(({ promise, what }) => [
      scenario,
      kind,
      isLasting ? 'lasting' : 'once',
      place,
      PROMISES[promise],
      what.replaceAll(/\s+/g, ' '),
    ]),
  );
  if (rows.length === 0) return undefined;
  return { head: ['request', 'fault', 'how long', 'where', 'promised', 'found'], rows: rows.slice(0, MAX_SHOWN) };
};
