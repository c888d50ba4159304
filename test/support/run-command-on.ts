import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Command } from 'commander';
import { asCommandFailure } from '../../admin/deployment/database.ts';
import type { Runner } from '../../admin/deployment/deployment.ts';
import { DEFAULT_PLANS } from '../../core/access/plans.ts';
import { CHECKS } from '../../core/checks.ts';
import type { TableNames } from '../../core/tables.ts';

interface Place {
  readonly db: DynamoDBDocumentClient;
  readonly tableNames: TableNames;
  readonly now: Date;
  readonly folder?: string;
}

/** Runs a command of the CLI in this process with any client, such as a metered one. @returns its data */
export const runCommandOn = async (
  { db, tableNames, now, folder = 'none' }: Place,
  addCommands: (program: Command, run: Runner) => void,
  ...args: readonly string[]
): Promise<unknown> => {
  const deployment = {
    db,
    plans: DEFAULT_PLANS,
    checks: CHECKS,
    tableNames,
    address: 'the engine',
    remedy: '',
  };
  const context = {
    stdout: process.stdout,
    stderr: process.stderr,
    signal: new AbortController().signal,
    showsProgress: false,
    notice: () => undefined,
    env: {},
    stagesFolder: '',
    folder,
    now: () => now,
    deployment,
    tableNames,
  };
  let data: unknown;
  const program = new Command();
  addCommands(program, async (command) => {
    try {
      ({ data } = await command(context));
    } catch (error) {
      throw asCommandFailure(error, deployment);
    }
  });
  await program.parseAsync(args, { from: 'user' });
  return data;
};
