import { keysTable } from '../../../functions/access/keys-table.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandRun } from '../deployment/command-run.ts';
import { keyView } from './key-views.ts';

const HEAD = ['id', 'name', 'plan', 'state', 'scopes', 'created', 'expires'];

const lineOf = ({ id, name, plan, state, scopes, createdAt, expires }: ReturnType<typeof keyView>): string[] => [
  id,
  name,
  plan,
  state,
  scopes.join(' '),
  createdAt.slice(0, 10),
  expires ?? 'never',
];

/** Every key, oldest first, without the keys themselves. */
export const listKeys = async (
  { json }: { readonly json?: boolean },
  { deployment, context }: CommandRun,
): Promise<ExitCode> => {
  const records = await keysTable(deployment.db, deployment.tableNames.keys).list();
  const views = records.map((record) => keyView(record, context.now()));
  if (json) context.stdout.write(`${JSON.stringify(views)}\n`);
  else context.stdout.write(views.length === 0 ? 'There are no keys yet.\n' : readableTable(HEAD, views.map(lineOf)));
  return EXIT.done;
};
