import type { KeyRecord } from '../../../core/access/keys-table.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { CommandFailure, type CommandResult } from '../command/outcome.ts';
import { type CommandRun, requireConfirmation } from '../deployment/deployment.ts';
import { keysTable } from './keys-table.ts';

export const keysOf = ({ deployment }: CommandRun) => keysTable(deployment.db, deployment.tableNames.keys);

/**
 * The id of a key. Not an argument parser of commander's, which would print the text: it might be a key.
 * @throws CommandFailure
 */
export const requireKeyId = (text: string): string => {
  if (/^[0-9a-f]{20}$/.test(text)) return text;
  throw new CommandFailure('a key\'s id has 20 hexadecimal digits (never the key itself); "keys list" shows them');
};

/** Whether a key can be used now, and if not, why. */
export const stateOf = ({ revokedAt, expires }: KeyRecord, now: Date): 'active' | 'expired' | 'revoked' => {
  if (revokedAt !== undefined) return 'revoked';
  return expires !== undefined && expires < londonDate(now) ? 'expired' : 'active';
};

/** A key as operators' programs see it: neither the key nor its hash. */
export const keyView = (record: KeyRecord, now: Date) => ({
  id: record.id,
  name: record.name,
  plan: record.plan,
  scopes: record.scopes,
  domains: record.domains ?? null,
  environment: record.environment ?? 'unknown',
  state: stateOf(record, now),
  createdAt: record.createdAt,
  expires: record.expires ?? null,
  revokedAt: record.revokedAt ?? null,
  follows: record.follows ?? null,
  successor: record.successor ?? null,
});

export type KeyView = ReturnType<typeof keyView>;

/** A new key with what its record says, for people. It is shown this once. */
export const newKeyText = (
  heading: string,
  key: string,
  facts: Readonly<Record<string, string | undefined>>,
): string => {
  const given = Object.entries(facts).filter(([, fact]) => fact !== undefined);
  const width = Math.max(...given.map(([name]) => name.length));
  return `${heading}:

    ${key}

Store it now: it is shown only this once.

${given.map(([name, fact]) => `${name.padEnd(width)}  ${fact}\n`).join('')}`;
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
