import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { type KeyEnvironment, newApiKey } from '../../core/access/api-key.ts';
import { creationOwnerId, KeyRecord } from '../../core/access/key-record.ts';
import { dayAfter, londonDate } from '../../core/runtime/clock.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import { CommandFailure, type CommandResult, EXIT } from '../command/command-result.ts';
import { printable, readableTable } from '../command/format.ts';
import { readCaller } from '../deployment/aws-requests.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import { type ChangeOrigin, type KeyChanges, keyStore } from './key-store.ts';
import { keyView, NAME_WIDTH, openKeys, stateOf } from './keys.ts';

const readChangeOrigin = async ({ deployment, now }: CommandContext): Promise<ChangeOrigin> => ({
  by: await readCaller(deployment),
  at: now(),
});

const requirePlan = (plan: string, { deployment: { plans } }: CommandContext): void => {
  if (Object.hasOwn(plans, plan)) return;
  throw new CommandFailure(`there is no plan ${printable(plan)}: there are ${Object.keys(plans).join(', ')}`);
};

/** @throws CommandFailure for a last day in the past */
const requireLastDay = (expires: string | false | undefined, { now }: CommandContext): void => {
  const today = londonDate(now());
  if (!expires || expires >= today) return;
  throw new CommandFailure(
    `${expires} is in the past: use --expires ${today} (today, Europe/London) or a later day, or leave it out`,
  );
};

const expiryOf = ({ expires }: Pick<KeyRecord, 'expires'>): string =>
  expires === undefined ? 'never' : `after ${expires} (Europe/London)`;

/** The key itself is shown here and never again: only its hash is stored. */
const showNewKey = (heading: string, key: string, record: KeyRecord, now: Date, follows?: string) => {
  const { name, customer, plan, scopes, domains, addresses } = record;
  const { id, ...shown } = keyView(record, now);
  const facts = Object.entries({
    id,
    customer,
    plan,
    scopes: scopes.join(', '),
    domains: domains?.join(', '),
    addresses: addresses?.join(', '),
    expires: expiryOf(record),
    follows,
  }).filter(([, fact]) => fact !== undefined);
  const width = Math.max(...facts.map(([label]) => label.length));
  const lines = facts.map(([label, fact]) => `${label.padEnd(width)}  ${fact}\n`);
  const texts = [`${heading} of ${name}:`, `    ${key}`, 'Store it now: it is shown only this once.', lines.join('')];
  return {
    text: texts.join('\n\n'),
    data: { id, key, ...shown },
  };
};

export type CreateKeyOptions = { readonly env: KeyEnvironment } & Pick<
  KeyRecord,
  'name' | 'plan' | 'customer' | 'scopes' | 'domains' | 'addresses' | 'expires'
>;

export const createKey = async (
  { env, ...options }: CreateKeyOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  requirePlan(options.plan, context);
  requireLastDay(options.expires, context);
  const { by: createdBy, at: now } = await readChangeOrigin(context);
  const { key, ...identity } = newApiKey(env);
  const record: KeyRecord = { ...identity, createdAt: now.toISOString(), createdBy, environment: env, ...options };
  await openKeys(context).add(record);
  return showNewKey('API key', key, record, now);
};

export const updateKey = async (id: string, changes: KeyChanges, context: CommandContext): Promise<CommandResult> => {
  const { plan, expires } = changes;
  if (Object.keys(changes).length === 0) {
    throw new CommandFailure(
      'one of --plan, --customer, --no-customer, --domains, --no-domains, --addresses, --no-addresses and --expires is missing; see --help',
    );
  }
  requireLastDay(expires, context);
  if (plan !== undefined) requirePlan(plan, context);
  const record = await openKeys(context).update(id, changes, await readChangeOrigin(context));
  const binding = record.domains === undefined ? 'any domain' : record.domains.join(', ');
  const owner = record.customer === undefined ? '' : ` of customer ${record.customer}`;
  const places = record.addresses === undefined ? 'any address' : record.addresses.join(', ');
  const facts = `on plan ${record.plan}, for content of ${binding}, from ${places}, and expires ${expiryOf(record)}`;
  return {
    text: `Key ${id} (${record.name})${owner} is ${facts}.\n`,
    data: keyView(record, context.now()),
  };
};

/** Revokes a key at once and permanently. Revoking it again changes nothing. */
export const revokeKey = async (id: string, context: CommandContext): Promise<CommandResult> => {
  await requireConfirmation(`This revokes key ${id} permanently`, context);
  const record = await openKeys(context).revoke(id, await readChangeOrigin(context));
  return {
    text: `Key ${id} (${record.name}) was revoked at ${record.revokedAt}.\n`,
    data: keyView(record, context.now()),
  };
};

/** The old key is revoked now, or ends with the overlap, or with its own last day if that is earlier. */
const computeEnd = ({ expires }: KeyRecord, overlapDays: number, { by, at }: ChangeOrigin) => {
  if (overlapDays === 0) {
    const revokedAt = at.toISOString();
    return { changes: { revokedAt, revokedBy: by }, when: 'at once', how: `was revoked at ${revokedAt}` };
  }
  const overlap = dayAfter(londonDate(at), overlapDays);
  const last = expires !== undefined && expires < overlap ? expires : overlap;
  return { changes: { expires: last }, when: `after ${last}`, how: `is valid through ${last} (Europe/London)` };
};

/** What a successor takes over, also fields of another version: all but identity, dates and history. */
const keptFields = ({
  id,
  hash,
  createdAt,
  createdBy,
  changedAt,
  changedBy,
  changeNumber,
  plans,
  expires,
  rotatedAt,
  rotatedBy,
  revokedAt,
  revokedBy,
  follows,
  firstKeyId,
  successor,
  ...kept
}: KeyRecord) => kept;

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

/**
 * Creates the successor of a key and shows it once; the old key ends after the overlap.
 * @param lastDay of the successor, or false for none; by default that of the old key, such as the end of a contract
 */
export const rotateKey = async (
  id: string,
  overlapDays: number,
  lastDay: KeyChanges['expires'],
  context: CommandContext,
): Promise<CommandResult> => {
  requireLastDay(lastDay, context);
  const keys = openKeys(context);
  const change = await readChangeOrigin(context);
  const { by: createdBy, at: now } = change;
  const old = await keys.get(id);
  requireRotatable(old, now);
  const { changes, when, how } = computeEnd(old, overlapDays, change);
  await requireConfirmation(`This creates a successor of key ${id} and permanently ends key ${id} ${when}`, context);
  // Only the probe's keys, whose ids have another form, lack an environment.
  const { environment = 'live', ...kept } = keptFields(old);
  const expires = (lastDay ?? old.expires) || undefined;
  const { key, ...identity } = newApiKey(environment);
  const successor: KeyRecord = {
    ...kept,
    ...identity,
    environment,
    createdAt: now.toISOString(),
    createdBy,
    ...(expires !== undefined && { expires }),
    follows: id,
    firstKeyId: creationOwnerId(old),
  };
  const ended = await keys.rotate(old, changes, successor);
  const { text, data } = showNewKey('New API key', key, successor, now, `${id}, which ${how}`);
  return { text, data: { ...data, previous: keyView(ended, now) } };
};

/** Copies missing keys from another table, such as a restored backup. Existing keys keep later changes. */
export const restoreKeys = async (from: string, context: CommandContext): Promise<CommandResult> => {
  const { db, address } = context.deployment;
  const records = await keyStore(db, from)
    .listStored()
    .catch((error: unknown) => {
      // DynamoDB returns the same error for a table that is still being restored.
      if (!(error instanceof ResourceNotFoundException)) throw error;
      throw new CommandFailure(`${address} has no table ${from}, or it is not ready yet`, { cause: error });
    });
  await requireConfirmation(`This restores the missing keys from ${from}`, context);
  const keys: { id: string; name: string; result: 'restored' | 'already there' | 'unreadable' }[] = [];
  for (const record of records) {
    const name = readStored(KeyRecord, record)?.name;
    const result =
      name === undefined ? 'unreadable' : (await openKeys(context).addMissing(record)) ? 'restored' : 'already there';
    keys.push({ id: String(record.id), name: name ?? '', result });
  }
  const count = (wanted: string) => keys.filter(({ result }) => result === wanted).length;
  const unreadable = count('unreadable');
  const rows = keys.map(({ id, name, result }) => [id, printable(name, NAME_WIDTH), result]);
  const table = readableTable(['id', 'name', 'result'], rows);
  const summary = `Restored: ${count('restored')}. Already there and not changed: ${count('already there')}.`;
  const warning = unreadable > 0 ? ` Unreadable and not restored: ${unreadable}.` : '';
  return {
    text: `${table}${summary}${warning}\n`,
    data: keys,
    exitCode: unreadable > 0 ? EXIT.incomplete : EXIT.done,
  };
};
