import { type Finding, median, percentile, type Table } from '../report.ts';
import { HANDLERS, type HandlerName } from './handlers.ts';

/** The rounds of each handler. */
export type Measured<Figures> = ReadonlyMap<HandlerName, readonly Figures[]>;

/** A figure of a round; less is better. */
export interface Column<Figures> {
  readonly name: string;
  readonly unit: string;
  readonly digits: number;
  readonly of: (figures: Figures) => number;
}

const valuesOf = <Figures>(measured: Measured<Figures>, handler: HandlerName, { of }: Column<Figures>) =>
  (measured.get(handler) ?? []).map(of);

const ratioOf = <Figures>(measured: Measured<Figures>, handler: HandlerName, column: Column<Figures>): number =>
  median(valuesOf(measured, handler, column)) / median(valuesOf(measured, HANDLERS[0], column));

/** Whether the median of this API keeps to its bound, as a ratio to the raw handler's. */
export const ratioFinding = <Figures>(measured: Measured<Figures>, column: Column<Figures>, bound: number): Finding => {
  const ratio = ratioOf(measured, 'this API', column);
  return {
    promise: `${column.name} at most ${bound} of the raw SDK handler's`,
    found: ratio.toFixed(2),
    holds: ratio <= bound,
  };
};

/** Medians, in brackets the middle half, and the ratio of each column that has a bound. */
export const comparisonTable = <Figures>(
  measured: Measured<Figures>,
  columns: readonly Column<Figures>[],
  ratios: readonly Column<Figures>[],
): Table => ({
  head: ['', ...columns.map(({ name, unit }) => `${name} ${unit}`), ...ratios.map(({ name }) => `${name}, ratio`)],
  rows: HANDLERS.map((handler) => [
    handler,
    ...columns.map((column) => {
      const values = valuesOf(measured, handler, column);
      const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => percentile(values, share).toFixed(column.digits));
      return low === high ? `${middle}` : `${middle} (${low}–${high})`;
    }),
    ...ratios.map((column) => ratioOf(measured, handler, column).toFixed(2)),
  ]),
});
