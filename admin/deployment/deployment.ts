import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Plans } from '../../core/access/plans.ts';
import type { Check } from '../../core/checks.ts';
import type { IntakeOutput } from '../../core/stage/intake-entry.ts';
import type { LookupLogOutput } from '../../core/stage/outputs.ts';
import type { TableId, TableNames } from '../../core/tables.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import type { AdminContext } from '../command/context.ts';

interface Account {
  readonly region: string;
  /** From --profile or AWS_PROFILE. */
  readonly profile?: string;
}

/** The database and tables that a command works on. */
export interface Deployment {
  readonly db: DynamoDBDocumentClient;
  /** The tables whose names are known. Some are missing only when tables are named without a stack. */
  readonly tableNames: Partial<TableNames>;
  /** The tables that the service uses, whatever `--tables` names. Unknown for tables on AWS without a stack. */
  readonly tablesInUse?: Partial<TableNames>;
  readonly plans: Plans;
  /** The checks that count for a compliance verdict. */
  readonly checks: readonly Check[];
  /** The most read units of a table that a command takes in a second; no limit when absent. */
  readonly readUnits?: number | undefined;
  readonly address: string;
  /** What to do when the database or its tables are missing. Ends a message. */
  readonly remedy: string;
  /** Set for tables in AWS. */
  readonly account?: Account;
  /** Set for a stack with alarms on missing imports: the namespace of the metrics of what is loaded. */
  readonly importMetrics?: string;
  readonly intake?: IntakeOutput;
  /** Set where lookups can be searched: the key of their log, the log groups, and the addresses of the services. */
  readonly lookupLog?: LookupLogOutput;
  /** Set for production data: the name that confirms a change, and the value of `--yes`. */
  readonly guard?: { readonly name: string; readonly given: string | undefined };
}

/** The name of a table. @throws CommandFailure when it is unknown: there is no default */
export const tableName = ({ tableNames }: Deployment, id: TableId): string => {
  const name = tableNames[id];
  if (name !== undefined) return name;
  throw new CommandFailure(`this command needs the table ${id}: name it with --tables ${id}=NAME`);
};

export interface CommandContext extends AdminContext {
  readonly deployment: Deployment;
  /** Writes a sentence to standard error; with `--json` as one line of JSON. */
  readonly notice: (sentence: string) => void;
  /** Takes, in place of `notice`, what a supplier must not read. */
  readonly noticeOperators?: (sentence: string) => void;
  /** Awaited before each write of a vehicle or compliance record; an error of it is the write's. */
  readonly beforeWrite?: () => Promise<void>;
}

export type Runner = (command: (context: CommandContext) => Promise<CommandResult>) => Promise<void>;

/** Asks for the name before production data is changed. A script passes it with --yes. */
export const requireConfirmation = async (consequence: string, { deployment: { guard }, ask }: CommandContext) => {
  if (guard === undefined) return;
  const given = guard.given ?? (await ask?.(`${consequence}. Type ${guard.name} to continue: `));
  if (given === undefined) throw new CommandFailure(`${consequence}: confirm it with --yes ${guard.name}`);
  if (given.trim() !== guard.name) throw new CommandFailure(`${given} is not ${guard.name}: nothing was done`);
};
