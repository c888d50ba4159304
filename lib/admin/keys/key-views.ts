import type { KeyRecord } from '../../../functions/access/keys-table.ts';
import { londonDate } from '../../../functions/runtime/clock.ts';

export type KeyState = 'active' | 'expired' | 'revoked';

export const stateOf = ({ revokedAt, expires }: KeyRecord, now: Date): KeyState => {
  if (revokedAt !== undefined) return 'revoked';
  return expires !== undefined && expires < londonDate(now) ? 'expired' : 'active';
};

/** A key as operators' programs see it: neither the key nor its hash. */
export const keyView = (record: KeyRecord, now: Date) => ({
  id: record.id,
  name: record.name,
  plan: record.plan,
  scopes: record.scopes,
  state: stateOf(record, now),
  createdAt: record.createdAt,
  expires: record.expires ?? null,
  revokedAt: record.revokedAt ?? null,
});
