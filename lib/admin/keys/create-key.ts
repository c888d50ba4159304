import { generateKey, hashKey, type KeyEnvironment, keyIdOf } from '../../../functions/access/api-key.ts';
import { type KeyRecord, keysTable } from '../../../functions/access/keys-table.ts';
import type { PlanName } from '../../../functions/access/plans.ts';
import type { Scope } from '../../../functions/access/scopes.ts';
import { londonDate } from '../../../functions/runtime/clock.ts';
import { CommandFailure } from '../command/command-failure.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import type { CommandRun } from '../deployment/command-run.ts';
import { keyView } from './key-views.ts';

export interface CreateKeyOptions {
  readonly name: string;
  readonly plan: PlanName;
  readonly scopes: readonly Scope[];
  readonly expires?: string;
  readonly env: KeyEnvironment;
  readonly json?: boolean;
}

const readable = (key: string, { id, name, plan, scopes, expires }: KeyRecord): string =>
  [
    `API key of ${name}:`,
    '',
    `    ${key}`,
    '',
    'Store it now: it is shown only this once.',
    '',
    `id       ${id}`,
    `plan     ${plan}`,
    `scopes   ${scopes.join(', ')}`,
    `expires  ${expires === undefined ? 'never' : `after ${expires} (Europe/London)`}`,
    '',
  ].join('\n');

/**
 * Makes a key and shows it, this once; only its hash is stored.
 * @throws CommandFailure when its last day is over
 */
export const createKey = async (options: CreateKeyOptions, { deployment, context }: CommandRun): Promise<ExitCode> => {
  const { name, plan, scopes, expires, env } = options;
  const now = context.now();
  const today = londonDate(now);
  if (expires !== undefined && expires < today) {
    throw new CommandFailure(
      `${expires} is over: write --expires ${today} (today, Europe/London) or a later day, or leave it out`,
    );
  }
  const key = generateKey(env);
  const hash = hashKey(key);
  const record: KeyRecord = {
    id: keyIdOf(hash),
    hash,
    name,
    plan,
    scopes,
    createdAt: now.toISOString(),
    ...(expires === undefined ? {} : { expires }),
  };
  await keysTable(deployment.db, deployment.tableNames.keys).add(record);
  const { id, ...shown } = keyView(record, now);
  context.stdout.write(options.json ? `${JSON.stringify({ id, key, ...shown })}\n` : readable(key, record));
  return EXIT.done;
};
