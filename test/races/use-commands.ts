import { writeFile } from 'node:fs/promises';
import { DeleteCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Command } from 'commander';
import type { Runner } from '../../admin/deployment/deployment.ts';
import { addEraseCommand } from '../../admin/erase-command.ts';
import { addExportCommands } from '../../admin/export-commands.ts';
import { addImportCommands } from '../../admin/import/import-commands.ts';
import { addKeysCommands } from '../../admin/keys/keys-commands.ts';
import { addRemoveCommands } from '../../admin/remove-commands.ts';
import { addUndoCommand } from '../../admin/undo-command.ts';
import type { DynamoItem } from '../../core/aws/database.ts';
import type { TableId } from '../../core/tables.ts';
import { clientOf } from '../support/engine.ts';
import { vehicleLine } from '../support/import-files.ts';
import { aPolicy, NOON } from '../support/records.ts';
import { runCommandOn } from '../support/run-command-on.ts';
import { useEngine } from '../support/use-engine.ts';
import { useFolder } from '../support/use-folder.ts';
import { withCallEvents } from './call-order.ts';

const addCommands = (program: Command, run: Runner): void => {
  const adders = [addImportCommands, addExportCommands, addRemoveCommands, addUndoCommand, addEraseCommand];
  for (const add of [...adders, addKeysCommands]) add(program, run);
};

/** A line of NDJSON: a vehicle with one policy, which has this number. */
export const policyLine = (registration: string, number: string, fields: object = {}): string =>
  vehicleLine({ registration, policies: [aPolicy({ number })], ...fields });

/**
 * The commands of operators on empty tables. `run` is undisturbed; `runDisturbed` sends its calls through the client of
 * `disturbed`, to whose calls a test lets something happen (`withCallEvents`).
 */
export const useCommands = () => {
  const engine = useEngine();
  const pathOf = useFolder('of each test');
  const disturbed = {} as { client: ReturnType<typeof clientOf>; during: ReturnType<typeof withCallEvents> };
  beforeAll(() => {
    const client = clientOf(engine.endpoint);
    Object.assign(disturbed, { client, during: withCallEvents(client) });
  });
  afterAll(() => disturbed.client.destroy());
  let seconds = 0;
  /** Each command runs a second later than the one before. */
  const runOn = async (db: typeof disturbed.client, args: readonly string[]) => {
    seconds += 1;
    const place = { db, tableNames: engine.names, now: new Date(NOON + seconds * 1_000), folder: pathOf() };
    return (await runCommandOn(place, addCommands, ...args)) as Record<string, unknown>;
  };
  const stored = async (table: TableId): Promise<DynamoItem[]> => {
    const wanted = { TableName: engine.names[table], ConsistentRead: true };
    const pages = await Array.fromAsync(paginateScan({ client: engine.client }, wanted));
    return pages.flatMap(({ Items = [] }) => Items);
  };
  const clear = async (): Promise<void> => {
    for (const table of ['vehicles', 'compliance'] as const) {
      for (const { registration } of await stored(table))
        await engine.client.send(new DeleteCommand({ TableName: engine.names[table], Key: { registration } }));
    }
  };
  beforeEach(clear);
  return {
    clear,
    stored,
    disturbed,
    run: (...args: readonly string[]) => runOn(engine.client, args),
    runDisturbed: (...args: readonly string[]) => runOn(disturbed.client, args),
    file: async (name: string, ...lines: readonly string[]): Promise<string> => {
      await writeFile(pathOf(name), lines.join('\n'));
      return pathOf(name);
    },
  };
};
