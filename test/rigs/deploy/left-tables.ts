import { runCommand } from '../../support/run-command.ts';
import { documentedCommands, runDocumented } from './documented-commands.ts';

/** What docs/operations.md writes as `vehicle-verification-prod`, `OLD_KEYS_TABLE` and so on is called this here. */
interface Names {
  /** How `cdk destroy` is called for the stack that is torn down, `vehicle-verification-prod`. */
  readonly destroyOptions: string;
  /** The stack that gets its data. */
  readonly newStack: string;
  readonly keysTable: string;
  readonly contentTable: string;
  readonly exportFile: string;
}

/** Tears down a stack that keeps its data by the commands of docs/operations.md, then needs the data again. */
export const tearingDownOperator = (names: Names, env: NodeJS.ProcessEnv) => {
  const list = documentedCommands('Restore', 'list-tables');
  const copy = documentedCommands('Restore', '--from OLD_KEYS_TABLE');
  const destroy = documentedCommands('Tear down', 'cdk destroy');
  const deleteTable = documentedCommands('Tear down', 'OLD_TABLE');
  const [listLogs = '', ...deleteLogs] = documentedCommands('Tear down', 'LOG_GROUP');
  const oldTables = { OLD_KEYS_TABLE: names.keysTable, OLD_CONTENT_TABLE: names.contentTable };

  const tables = async (): Promise<readonly string[]> => {
    const listed = await runCommand('aws', ['dynamodb', 'list-tables', '--output', 'json'], { env });
    return (JSON.parse(listed) as { readonly TableNames: string[] }).TableNames.sort();
  };

  return {
    tables,
    destroyStack: () => runDocumented(destroy, { 'stage=prod': names.destroyOptions }, env),
    /** @returns what the commands for tables without a stack print */
    listKeys: () => runDocumented(list, oldTables, env),
    copyIntoNewStack: () =>
      runDocumented(
        copy,
        { ...oldTables, 'vehicle-verification-prod': names.newStack, 'restored.ndjson': names.exportFile },
        env,
      ),
    deleteTables: async (): Promise<void> => {
      for (const name of await tables()) await runDocumented(deleteTable, { OLD_TABLE: name }, env);
    },
    /** @returns how many there were */
    deleteLogGroups: async (): Promise<number> => {
      const groups = JSON.parse(await runDocumented([`${listLogs} --output json`], {}, env)) as readonly string[];
      for (const name of groups) await runDocumented(deleteLogs, { LOG_GROUP: name }, env);
      return groups.length;
    },
  };
};
