import { median, percentile } from '../../tools/report/percentiles.ts';
import type { Chart, Finding, Table } from '../../tools/report/report.ts';
import { type Peer, PRODUCT, RAW_AS_COMMONJS, RAW_PEER } from './peers.ts';

/** What the rounds of one peer told. */
export interface Measured<Figures> {
  readonly peer: Peer;
  readonly rounds: readonly Figures[];
}

/** One figure of every peer; less is better. */
export interface Column<Figures> {
  readonly name: string;
  readonly unit: string;
  readonly digits: number;
  /** The figure of one round. */
  readonly of: (figures: Figures) => number;
}

/** A peer's figure: the median of its rounds, and how far the middle half of them spreads. */
interface Spread {
  readonly peer: Peer;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

const spreads = <Figures>(measured: readonly Measured<Figures>[], { of }: Column<Figures>): readonly Spread[] =>
  measured.map(({ peer, rounds }) => {
    const values = rounds.map(of);
    return { peer, median: median(values), low: percentile(values, 0.25), high: percentile(values, 0.75) };
  });

const medianOf = (all: readonly Spread[], peer: Peer): number =>
  all.find((spread) => spread.peer === peer)?.median ?? Number.NaN;

/** A peer's figure (the product's unless said otherwise) as a ratio to the floor's, and whether it keeps to its bound; told of the floor's other form too. */
export const ratioFinding = <Figures>(
  measured: readonly Measured<Figures>[],
  column: Column<Figures>,
  bound: number,
  peer: Peer = PRODUCT,
): Finding => {
  const all = spreads(measured, column);
  const product = medianOf(all, peer);
  const ratio = product / medianOf(all, RAW_PEER);
  return {
    promise: `${column.name} of ${peer.name} at most ${bound} of the ${RAW_PEER.name}'s`,
    found: `${ratio.toFixed(2)} (${RAW_AS_COMMONJS.name}: ${(product / medianOf(all, RAW_AS_COMMONJS)).toFixed(2)})`,
    holds: ratio <= bound,
  };
};

/** Whether the product is ahead of the best framework. */
export const aheadFinding = <Figures>(measured: readonly Measured<Figures>[], column: Column<Figures>): Finding => {
  const all = spreads(measured, column);
  const frameworks = all.filter(({ peer }) => peer.role === 'framework');
  const best = frameworks.reduce((least, spread) => (spread.median < least.median ? spread : least));
  const product = medianOf(all, PRODUCT);
  const written = (value: number) => `${value.toFixed(column.digits)} ${column.unit}`;
  return {
    promise: `${column.name} ahead of every framework`,
    found: `${written(product)}; the best of them, ${best.peer.name}, ${written(best.median)}`,
    holds: product < best.median,
  };
};

const cell = ({ median, low, high }: Spread, digits: number): string =>
  low === high ? median.toFixed(digits) : `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;

/** Every peer's figures, the spread of the middle half of its rounds in brackets; the first column as a ratio too. */
export const comparisonTable = <Figures>(
  measured: readonly Measured<Figures>[],
  columns: readonly [Column<Figures>, ...Column<Figures>[]],
): Table => {
  const [first] = columns;
  const floor = medianOf(spreads(measured, first), RAW_PEER);
  return {
    head: ['', ...columns.map(({ name, unit }) => `${name} ${unit}`), `${first.name}, ratio`],
    rows: measured.map((one) => {
      const own = columns.map((column) => spreads([one], column));
      return [
        one.peer.name,
        ...own.flatMap((all, nth) => all.map((spread) => cell(spread, columns[nth]?.digits ?? 0))),
        (medianOf(own[0] ?? [], one.peer) / floor).toFixed(2),
      ];
    }),
  };
};

/** Bars for each of some columns that share a unit. */
export const comparisonChart = <Figures>(
  measured: readonly Measured<Figures>[],
  columns: readonly [Column<Figures>, ...Column<Figures>[]],
  { file, title }: Pick<Chart, 'file' | 'title'>,
): Chart => ({
  file,
  title,
  kind: 'bar',
  unit: columns[0].unit,
  x: measured.map(({ peer }) => peer.name),
  series: columns.map((column) => ({
    name: column.name,
    values: spreads(measured, column).map(({ median }) => Number(median.toFixed(column.digits))),
  })),
});

/** What each peer does and does not do. */
export const peersTable = (peers: readonly Peer[]): Table => ({
  head: ['', 'does', 'bundle'],
  rows: peers.map(({ name, does, format }) => [name, does, format === 'esm' ? 'ES module' : 'CommonJS']),
});
