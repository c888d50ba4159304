import { keysTable } from '../../../functions/access/keys-table.ts';
import type { PlanName } from '../../../functions/access/plans.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import type { CommandRun } from '../deployment/command-run.ts';
import { requireConfirmation } from '../deployment/confirmation.ts';
import { requireKeyId } from './key-options.ts';

/** Revokes a key at once and for good; a second time changes nothing. @throws UnknownKey */
export const revokeKey = async (id: string, run: CommandRun): Promise<ExitCode> => {
  const { deployment, context } = run;
  const keyId = requireKeyId(id);
  await requireConfirmation(`This ends key ${keyId} for good`, run);
  const table = keysTable(deployment.db, deployment.tableNames.keys);
  const { name, revokedAt } = await table.revoke(keyId, context.now().toISOString());
  context.stdout.write(`Key ${id} (${name}) is revoked since ${revokedAt}.\n`);
  return EXIT.done;
};

/** Puts a key on another plan, from its next request on. @throws UnknownKey */
export const updateKey = async (id: string, plan: PlanName, { deployment, context }: CommandRun): Promise<ExitCode> => {
  const { name } = await keysTable(deployment.db, deployment.tableNames.keys).changePlan(requireKeyId(id), plan);
  context.stdout.write(`Key ${id} (${name}) is on plan ${plan}.\n`);
  return EXIT.done;
};
