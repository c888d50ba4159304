/** Where in a request's database work a fault applies. */
import { type TableId, type TableNames, tables } from '../../../functions/tables.ts';
import { type DatabaseCall, type Fault, isApplicable } from '../../support/fault-proxy.ts';

/** Some of the database requests that a scenario makes. */
export interface InjectionPoint {
  readonly name: string;
  readonly tables: readonly TableId[];
  readonly isBatch: boolean;
  readonly operations: readonly string[];
  /** How many of a healthy run's requests it holds. */
  readonly calls: number;
  readonly includes: (call: DatabaseCall) => boolean;
}

const tableIdsOf = (names: TableNames, call: DatabaseCall): TableId[] =>
  (Object.keys(tables) as TableId[]).filter((id) => call.tables.includes(names[id]));

const nameOf = (names: TableNames, call: DatabaseCall): string =>
  [call.operation, ...tableIdsOf(names, call)].join(' ');

const isBatch = ({ operation }: DatabaseCall): boolean => operation.startsWith('Batch');

/** Each operation on each table that a healthy run of a scenario used. */
export const injectionPoints = (names: TableNames, healthyRun: readonly DatabaseCall[]): InjectionPoint[] =>
  [...Map.groupBy(healthyRun, (call) => nameOf(names, call))].map(([name, calls]) => ({
    name,
    tables: [...new Set(calls.flatMap((call) => tableIdsOf(names, call)))],
    isBatch: calls.every(isBatch),
    operations: calls.map(({ operation }) => operation),
    calls: calls.length,
    includes: (call) => nameOf(names, call) === name,
  }));

/** All of the database at once. */
export const everywhere = (points: readonly InjectionPoint[]): InjectionPoint => ({
  name: 'everywhere',
  tables: [...new Set(points.flatMap((point) => point.tables))],
  isBatch: points.some((point) => point.isBatch),
  operations: points.flatMap(({ operations }) => operations),
  calls: points.reduce((sum, { calls }) => sum + calls, 0),
  includes: () => true,
});

/** Keys in a batch that is full: more are not taken, so that the rest of them is in another batch. */
const FULL_BATCH = 100;

const keysIn = ({ body }: DatabaseCall): number => {
  const { RequestItems } = JSON.parse(body) as { RequestItems: Record<string, { Keys: unknown[] }> };
  return Object.values(RequestItems).reduce((sum, { Keys }) => sum + Keys.length, 0);
};

/** Of the batches that are under way side by side, the full ones. */
export const fullBatches = (point: InjectionPoint): InjectionPoint => ({
  ...point,
  name: `full ${point.name}`,
  includes: (call) => point.includes(call) && keysIn(call) === FULL_BATCH,
});

/** Whether a fault does anything there. */
export const applies = (fault: Fault, { operations }: InjectionPoint): boolean =>
  operations.some((operation) => isApplicable(fault, operation));
