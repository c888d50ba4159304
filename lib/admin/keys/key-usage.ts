import { keysTable, UnknownKey } from '../../../functions/access/keys-table.ts';
import { PLANS, windowAt } from '../../../functions/access/plans.ts';
import { usageTable } from '../../../functions/access/usage-table.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import type { CommandRun } from '../deployment/command-run.ts';
import { requireKeyId } from './key-options.ts';

/** Requests that a key has made in the present window, beside its plan's limit. @throws UnknownKey */
export const keyUsage = async (
  text: string,
  { json }: { readonly json?: boolean },
  { deployment, context }: CommandRun,
): Promise<ExitCode> => {
  const id = requireKeyId(text);
  const { db, tableNames } = deployment;
  const window = windowAt(context.now());
  const [key, count] = await Promise.all([
    keysTable(db, tableNames.keys).find(id),
    usageTable(db, tableNames.usage).count(id, window),
  ]);
  if (key === undefined) throw new UnknownKey(id);
  const usage = { id, plan: key.plan, count, limit: PLANS[key.plan].requestsPerWindow, reset: window.end };
  const until = new Date(window.end * 1_000).toISOString();
  const readable = `Key ${id} (${key.name}, ${key.plan}): ${count} of ${usage.limit} requests in the window that ends at ${until}.\n`;
  context.stdout.write(json ? `${JSON.stringify(usage)}\n` : readable);
  return EXIT.done;
};
