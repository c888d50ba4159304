import type { Command } from 'commander';
import type { PlanName } from '../../../functions/access/plans.ts';
import type { Runner } from '../deployment/deployment.ts';
import { addCreateKey, planOption, required } from './create-key.ts';
import { keyUsage } from './key-usage.ts';
import { listKeys, revokeKey, updateKey } from './keys.ts';
import { restoreKeys } from './restore-keys.ts';

/** Adds `keys create`, `list`, `revoke`, `update`, `usage` and `restore`. */
export const addKeysCommands = (program: Command, run: Runner): void => {
  const keys = program.command('keys').description('API keys: create, list, change, revoke, restore');
  addCreateKey(keys, run);
  keys
    .command('list')
    .description('every key, oldest first; never the keys themselves')
    .action(() => run(listKeys));
  keys
    .command('revoke')
    .description('end a key at once, irrevocably')
    .argument('<id>', 'id of the key')
    .action((id: string) => run((command) => revokeKey(id, command)));
  keys
    .command('update')
    .description('change the plan of a key')
    .argument('<id>', 'id of the key')
    .addOption(planOption())
    .action((id: string, { plan }: { plan?: PlanName }) =>
      run((command) => updateKey(id, required(plan, '--plan'), command)),
    );
  keys
    .command('usage')
    .description('requests of a key in the present window and the last 24 hours')
    .argument('<id>', 'id of the key')
    .action((id: string) => run((command) => keyUsage(id, command)));
  keys
    .command('restore')
    .description('bring back missing keys from another table; keys that are there, revoked ones too, stay as they are')
    .option('--from <table>', 'name of the table, such as one restored from a backup')
    .action(({ from }: { from?: string }) => run((command) => restoreKeys(required(from, '--from'), command)));
};
