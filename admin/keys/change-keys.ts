import { type KeyEnvironment, newApiKey } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/key-record.ts';
import type { Scope } from '../../core/access/scopes.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { printable } from '../command/format.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import { keyView, newKeyText, openKeys, readChangeOrigin } from './keys.ts';

/** @throws CommandFailure when the stage has no plan of this name */
const requirePlan = (plan: string, { deployment: { plans } }: CommandContext): void => {
  if (Object.hasOwn(plans, plan)) return;
  throw new CommandFailure(`there is no plan ${printable(plan)}: there are ${Object.keys(plans).join(', ')}`);
};

export interface CreateKeyOptions {
  readonly name: string;
  readonly plan: string;
  readonly scopes: readonly Scope[];
  readonly domains?: readonly string[];
  readonly expires?: string;
  readonly env: KeyEnvironment;
}

/** Creates a key and shows it once; only its hash is stored. */
export const createKey = async (
  { env, ...options }: CreateKeyOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  requirePlan(options.plan, context);
  const today = londonDate(context.now());
  const { expires } = options;
  if (expires !== undefined && expires < today) {
    throw new CommandFailure(
      `${expires} is in the past: use --expires ${today} (today, Europe/London) or a later day, or leave it out`,
    );
  }
  const { by: createdBy, at: now } = await readChangeOrigin(context);
  const { key, ...identity } = newApiKey(env);
  const record: KeyRecord = { ...identity, createdAt: now.toISOString(), createdBy, environment: env, ...options };
  await openKeys(context).add(record);
  const { id, ...shown } = keyView(record, now);
  const end = expires === undefined ? 'never' : `after ${expires} (Europe/London)`;
  return { text: newKeyText(`API key of ${record.name}`, key, record, { expires: end }), data: { id, key, ...shown } };
};

export interface UpdateKeyOptions {
  readonly plan?: string;
  /** False for `--no-domains`. */
  readonly domains?: readonly string[] | false;
}

/** Changes the plan of a key, its domains or both, from its next request on. */
export const updateKey = async (
  id: string,
  { plan, domains }: UpdateKeyOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  if (plan === undefined && domains === undefined) {
    throw new CommandFailure('one of --plan, --domains and --no-domains is missing; see --help');
  }
  if (plan !== undefined) requirePlan(plan, context);
  const changes = { plan, domains: domains === false ? null : domains };
  const record = await openKeys(context).update(id, changes, await readChangeOrigin(context));
  const binding = record.domains === undefined ? 'any domain' : record.domains.join(', ');
  return {
    text: `Key ${id} (${record.name}) is on plan ${record.plan}, for content of ${binding}.\n`,
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
