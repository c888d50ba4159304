import { newApiKey } from '../../core/access/api-key.ts';
import { creationOwnerId, type KeyRecord } from '../../core/access/key-record.ts';
import { dayAfter, londonDate } from '../../core/runtime/clock.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import type { ChangeOrigin, EndOfKey } from './key-store.ts';
import { keyView, newKeyText, openKeys, readChangeOrigin, stateOf } from './keys.ts';

/**
 * How the old key ends. Without an overlap it is revoked now. Otherwise it ends with the last day of the overlap, or
 * with its own last day if that is earlier.
 */
const computeEnd = ({ expires }: KeyRecord, overlapDays: number, { by, at }: ChangeOrigin): EndOfKey => {
  if (overlapDays === 0) return { revokedAt: at.toISOString(), revokedBy: by };
  const lastDay = dayAfter(londonDate(at), overlapDays);
  return { expires: expires !== undefined && expires < lastDay ? expires : lastDay };
};

/** @throws CommandFailure when the key is revoked, expired or already rotated */
const requireRotatable = (record: KeyRecord, now: Date): void => {
  const { id, successor } = record;
  if (successor !== undefined) {
    throw new CommandFailure(`key ${id} was already rotated: rotate its successor ${successor} instead`);
  }
  const state = stateOf(record, now);
  if (state === 'active') return;
  const how = state === 'revoked' ? `was revoked at ${record.revokedAt}` : `expired at the end of ${record.expires}`;
  throw new CommandFailure(`key ${id} ${how} and cannot be rotated: create a new one with "keys create"`);
};

/** Creates the successor of a key and shows it once; the old key ends after the overlap. */
export const rotateKey = async (id: string, overlapDays: number, context: CommandContext): Promise<CommandResult> => {
  const keys = openKeys(context);
  const change = await readChangeOrigin(context);
  const { by: createdBy, at: now } = change;
  const createdAt = now.toISOString();
  const old = await keys.get(id);
  requireRotatable(old, now);
  const end = computeEnd(old, overlapDays, change);
  const when = 'revokedAt' in end ? 'at once' : `after ${end.expires}`;
  await requireConfirmation(`This creates a successor of key ${id} and permanently ends key ${id} ${when}`, context);
  // Only the probe's keys, whose ids have another form, lack an environment.
  const { name, plan, scopes, domains, environment = 'live' } = old;
  const { key, ...identity } = newApiKey(environment);
  const successor: KeyRecord = {
    ...identity,
    name,
    plan,
    scopes,
    environment,
    createdAt,
    createdBy,
    ...(domains !== undefined && { domains }),
    follows: id,
    firstKeyId: creationOwnerId(old),
  };
  await keys.rotate(old, end, successor);
  const { id: successorId, ...shown } = keyView(successor, now);
  const ended = { ...end, successor: successorId, rotatedAt: createdAt, rotatedBy: createdBy };
  const endOfOld =
    'revokedAt' in end ? `was revoked at ${end.revokedAt}` : `is valid through ${end.expires} (Europe/London)`;
  const facts = {
    expires: old.expires === undefined ? 'never' : `never; the old key was to expire after ${old.expires}`,
    follows: `${id}, which ${endOfOld}`,
  };
  return {
    text: newKeyText(`New API key of ${name}`, key, successor, facts),
    data: { id: successorId, key, ...shown, previous: keyView({ ...old, ...ended }, now) },
  };
};
