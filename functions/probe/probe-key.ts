import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { newApiKey } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/key-record.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import { database } from '../../core/aws/database.ts';
import { dayAfter, type LondonDate, londonDate } from '../../core/runtime/clock.ts';
import { tableNamesFromEnvironment } from '../../core/runtime/environment.ts';

/** Seconds until DynamoDB removes a key: three days. It is valid on the London day of its creation and the next. */
const KEPT_SECONDS = 3 * 86_400;

/** A key that the probe has made for itself. It is shown to nobody. */
export interface ProbeKey {
  readonly key: string;
  readonly id: string;
}

const addProbeKey = async (now: Date): Promise<ProbeKey> => {
  const { key, ...identity } = newApiKey('probe');
  const record: KeyRecord = {
    ...identity,
    name: 'Probe',
    plan: 'probe',
    scopes: SCOPES,
    createdAt: now.toISOString(),
    expires: dayAfter(londonDate(now), 1),
  };
  const expiresAt = Math.floor(now.getTime() / 1_000) + KEPT_SECONDS;
  const { keys } = tableNamesFromEnvironment(['keys']);
  await database().send(new PutCommand({ TableName: keys, Item: { ...record, expiresAt } }));
  return { key, id: identity.id };
};

let current: (ProbeKey & { readonly day: LondonDate }) | undefined;

/**
 * The key of this instance for the current day in London, created at its first use. It is kept even when the service
 * rejects it: a new key would hide that keys were lost.
 * @throws the error of the write; the next call tries again
 */
export const keyOfToday = async (now: Date): Promise<ProbeKey> => {
  const day = londonDate(now);
  if (current?.day !== day) current = { ...(await addProbeKey(now)), day };
  return current;
};
