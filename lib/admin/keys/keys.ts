import { type KeyRecord, keysTable } from '../../../functions/access/keys-table.ts';
import type { PlanName } from '../../../functions/access/plans.ts';
import { SCOPES } from '../../../functions/access/scopes.ts';
import { londonDate } from '../../../functions/runtime/clock.ts';
import { CommandFailure, type CommandResult } from '../command/outcome.ts';
import { readableTable } from '../command/readable-table.ts';
import { type CommandRun, requireConfirmation } from '../deployment/deployment.ts';

export const keysOf = ({ deployment }: CommandRun) => keysTable(deployment.db, deployment.tableNames.keys);

/**
 * The id of a key. Not an argument parser of commander's, which would print the text: it might be a key.
 * @throws CommandFailure
 */
export const requireKeyId = (text: string): string => {
  if (/^[0-9a-f]{20}$/.test(text)) return text;
  throw new CommandFailure('a key\'s id has 20 hexadecimal digits (never the key itself); "keys list" shows them');
};

const stateOf = ({ revokedAt, expires }: KeyRecord, now: Date): 'active' | 'expired' | 'revoked' => {
  if (revokedAt !== undefined) return 'revoked';
  return expires !== undefined && expires < londonDate(now) ? 'expired' : 'active';
};

/** A key as operators' programs see it: neither the key nor its hash. */
export const keyView = (record: KeyRecord, now: Date) => ({
  id: record.id,
  name: record.name,
  plan: record.plan,
  scopes: record.scopes,
  environment: record.environment ?? 'unknown',
  state: stateOf(record, now),
  createdAt: record.createdAt,
  expires: record.expires ?? null,
  revokedAt: record.revokedAt ?? null,
});

/** Columns of a name: with the widest of the other columns, a row of `keys list` has 100. */
export const NAME_WIDTH = 18;
const HEAD = ['id', 'name', 'plan', 'state', 'scopes', 'created', 'expires'];

const rowOf = ({ id, name, plan, state, scopes, createdAt, expires }: ReturnType<typeof keyView>): string[] => [
  id,
  name,
  plan,
  state,
  scopes.length === SCOPES.length ? 'all' : scopes.join('\n'),
  createdAt.slice(0, 10),
  expires ?? 'never',
];

/** Every key, oldest first, without the keys themselves. */
export const listKeys = async (run: CommandRun): Promise<CommandResult> => {
  const data = (await keysOf(run).list()).map((record) => keyView(record, run.now()));
  const table = () => readableTable(HEAD, data.map(rowOf), { widths: [null, NAME_WIDTH] });
  return { text: data.length === 0 ? 'There are no keys yet.\n' : table(), data };
};

/** Revokes a key at once and for good; a second time changes nothing. @throws UnknownKey */
export const revokeKey = async (text: string, run: CommandRun): Promise<CommandResult> => {
  const id = requireKeyId(text);
  await requireConfirmation(`This ends key ${id} for good`, run);
  const record = await keysOf(run).revoke(id, run.now().toISOString());
  return {
    text: `Key ${id} (${record.name}) is revoked since ${record.revokedAt}.\n`,
    data: keyView(record, run.now()),
  };
};

/** Puts a key on another plan, from its next request on. @throws UnknownKey */
export const updateKey = async (text: string, plan: PlanName, run: CommandRun): Promise<CommandResult> => {
  const record = await keysOf(run).changePlan(requireKeyId(text), plan);
  return { text: `Key ${record.id} (${record.name}) is on plan ${plan}.\n`, data: keyView(record, run.now()) };
};
