import { type KeyRecord, plansOf } from '../../core/access/key-record.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { CommandFailure } from '../command/command-result.ts';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { keyStore } from './key-store.ts';

/** Maximum number of concurrent queries. A key that is busy every minute has 4 MB of counters a month. */
export const MAX_QUERIES = 20;

/** Characters before the `…` in a table of keys. A row with the widest other columns then has 80 characters. */
export const NAME_WIDTH = 19;
export const PLAN_WIDTH = 11;

export const openKeys = ({ deployment }: CommandContext) => keyStore(deployment.db, tableName(deployment, 'keys'));

/** Commander does not check ids, because its error would print the argument, which may be a whole key. */
export const requireKeyId = (text: string): string => {
  if (/^[0-9a-f]{20}$/.test(text)) return text;
  throw new CommandFailure('a key\'s id has 20 hexadecimal digits (never the key itself); "keys list" shows them');
};

export const KEY_STATES = ['active', 'expired', 'revoked'] as const;

export type KeyState = (typeof KEY_STATES)[number];

/** The state of a key at a time; its last day ends in London. */
export const stateOf = ({ revokedAt, expires }: KeyRecord, time: Date): KeyState => {
  if (revokedAt !== undefined && revokedAt <= time.toISOString()) return 'revoked';
  return expires !== undefined && expires < londonDate(time) ? 'expired' : 'active';
};

/** Without the key itself or its hash. `plans` has the window in which each plan began. */
export const keyView = (record: KeyRecord, now: Date) => ({
  id: record.id,
  name: record.name,
  customer: record.customer ?? null,
  plan: record.plan,
  plans: plansOf(record).map(({ plan, since }) => ({ plan, since: new Date(since * 1_000).toISOString() })),
  scopes: record.scopes,
  domains: record.domains ?? null,
  addresses: record.addresses ?? null,
  environment: record.environment ?? 'unknown',
  state: stateOf(record, now),
  createdAt: record.createdAt,
  createdBy: record.createdBy ?? null,
  expires: record.expires ?? null,
  changedAt: record.changedAt ?? null,
  changedBy: record.changedBy ?? null,
  rotatedAt: record.rotatedAt ?? null,
  rotatedBy: record.rotatedBy ?? null,
  revokedAt: record.revokedAt ?? null,
  revokedBy: record.revokedBy ?? null,
  follows: record.follows ?? null,
  successor: record.successor ?? null,
});
