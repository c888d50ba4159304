import { EVERY_SUPPLIER, type LoadTarget, recordFinishedLoad } from '../../core/finished-loads.ts';
import { partsOf, type RecordKind } from '../../core/stage/outputs.ts';
import type { TableId } from '../../core/tables.ts';
import { type ImportFigures, publishImport } from '../deployment/aws-requests.ts';
import { type CommandContext, type Deployment, tableName } from '../deployment/deployment.ts';
import type { Load } from '../records/change-line.ts';

/** Whether loads of a table are recorded: it is the table that the service uses, and not a restored one. */
export const isTableInUse = ({ tableNames, tablesInUse }: Deployment, table: TableId): boolean =>
  tableNames.usage !== undefined && tablesInUse?.[table] !== undefined && tablesInUse[table] === tableNames[table];

/** The kinds under which a load counts. */
export const loadKinds = (kind: string): LoadTarget['kind'][] =>
  partsOf(kind as RecordKind).filter((part) => part !== 'compliance');

/**
 * Records that a load has come to its end, for `undo`, for answers that say how complete they are, and for the alarms
 * on missing imports.
 * @param imported the figures of an import; a removal has none
 */
export const finishLoad = async (
  { load, kind, supplier }: Load,
  table: TableId,
  imported: ImportFigures | undefined,
  context: CommandContext,
): Promise<void> => {
  const { deployment, now } = context;
  if (!isTableInUse(deployment, table)) return;
  // Vehicles that are restored or removed whole concern every supplier.
  const whose = kind === 'vehicles' ? { supplier: supplier ?? EVERY_SUPPLIER } : {};
  const targets = loadKinds(kind).map((one) => ({ kind: one, ...whose }));
  const finished = { id: load, at: now().toISOString(), ...(imported === undefined && { isRemoval: true as const }) };
  await recordFinishedLoad(deployment.db, tableName(deployment, 'usage'), targets, finished);
  if (imported) await publishImport(kind as RecordKind, supplier, imported, context);
};
