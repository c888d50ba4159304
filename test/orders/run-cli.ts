/** Runs commands of the CLI for a side of a search. */
import { Command } from 'commander';
import { asCommandFailure } from '../../admin/deployment/database.ts';
import type { Runner } from '../../admin/deployment/deployment.ts';
import { DEFAULT_PLANS } from '../../core/access/plans.ts';
import { TABLES } from './engine.ts';
import type { Caller } from './operation.ts';

/** Runs a command; returns its data. */
export const runCli = async (
  addCommands: (program: Command, run: Runner) => void,
  { db, moment }: Caller,
  ...args: readonly string[]
): Promise<unknown> => {
  const deployment = {
    db,
    plans: DEFAULT_PLANS,
    tableNames: TABLES,
    address: 'the engine',
    remedy: '',
  };
  const { stdout, stderr } = process;
  const { signal } = new AbortController();
  const surroundings = { stdout, stderr, signal, showsProgress: false, notice: () => undefined, env: {} };
  const context = { ...surroundings, now: () => moment.now, deployment, tableNames: TABLES, stagesFolder: '' };
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
