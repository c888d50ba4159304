import type { Command } from 'commander';
import type { CommandResult } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import { type CommandContext, type Runner, requireConfirmation } from '../deployment/deployment.ts';
import { addCreateKey } from './create-key.ts';
import { required } from './key-options.ts';
import { changeBy, keyView, openKeys, requireKeyId } from './keys.ts';
import { addListKeys } from './list-keys.ts';
import { restoreKeys } from './restore-keys.ts';
import { addRotateKey } from './rotate-key.ts';
import { addUpdateKey } from './update-key.ts';
import { addKeyUsage } from './usage-command.ts';

/** Revokes a key at once and permanently. Revoking it again changes nothing. @throws UnknownApiKey */
const revokeKey = async (text: string, context: CommandContext): Promise<CommandResult> => {
  const id = requireKeyId(text);
  await requireConfirmation(`This revokes key ${id} permanently`, context);
  const record = await openKeys(context).revoke(id, await changeBy(context));
  return {
    text: `Key ${id} (${record.name}) was revoked at ${record.revokedAt}.\n`,
    data: keyView(record, context.now()),
  };
};

/** Adds `keys create`, `list`, `rotate`, `revoke`, `update`, `usage` and `restore`. */
export const addKeysCommands = (program: Command, run: Runner): void => {
  const keys = program.command('keys').description('API keys: create, list, rotate, change, revoke, usage, restore');
  addCreateKey(keys, run);
  addListKeys(keys, run);
  addRotateKey(keys, run);
  keys
    .command('revoke')
    .description('revoke a key at once and permanently')
    .argument('<id>', 'id of the key')
    .addHelpText('after', exampleOf('keys revoke 0123456789abcdef0123'))
    .action((id: string) => run((context) => revokeKey(id, context)));
  addUpdateKey(keys, run);
  addKeyUsage(keys, run);
  keys
    .command('restore')
    .description('restore missing keys from another table; existing keys, including revoked ones, are not changed')
    .option('--from <table>', 'name of the table, such as one restored from a backup (required)')
    .addHelpText('after', exampleOf('keys restore --from restored-keys --stack vehicle-verification-prod'))
    .action(({ from }: { from?: string }) => run((context) => restoreKeys(required(from, '--from'), context)));
};
