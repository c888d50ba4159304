import { type Command, Option } from 'commander';
import type { KeyEnvironment } from '../../../functions/access/api-key.ts';
import { PLAN_NAMES, type PlanName } from '../../../functions/access/plans.ts';
import { SCOPES } from '../../../functions/access/scopes.ts';
import type { Runner } from '../deployment/command-run.ts';
import { revokeKey, updateKey } from './change-key.ts';
import { type CreateKeyOptions, createKey } from './create-key.ts';
import { parseExpiry, parseName, parseScopes } from './key-options.ts';
import { keyUsage } from './key-usage.ts';
import { listKeys } from './list-keys.ts';
import { restoreKeys } from './restore-keys.ts';

const ENVIRONMENTS: readonly KeyEnvironment[] = ['live', 'test'];

interface JsonOption {
  readonly json?: boolean;
}

const planOption = () => new Option('--plan <plan>', 'plan of the key').choices(PLAN_NAMES).makeOptionMandatory();

const addCreate = (keys: Command, run: Runner): void => {
  keys
    .command('create')
    .description('create a key and show it once')
    .addOption(
      new Option('--name <name>', 'name of its owner, 1 to 100 characters').argParser(parseName).makeOptionMandatory(),
    )
    .addOption(planOption())
    .addOption(
      new Option('--scopes <scopes>', `allowed operations, any of ${SCOPES.join(',')}`)
        .argParser(parseScopes)
        .default([...SCOPES], 'all'),
    )
    .addOption(new Option('--expires <day>', 'last day of the key, YYYY-MM-DD').argParser(parseExpiry))
    .addOption(new Option('--env <env>', 'environment in the prefix of the key').choices(ENVIRONMENTS).default('live'))
    .option('--json', 'one JSON object on standard output')
    .action((options: CreateKeyOptions) => run((commandRun) => createKey(options, commandRun)));
};

/** Adds `keys create`, `list`, `revoke`, `update`, `usage` and `restore`. */
export const addKeysCommands = (program: Command, run: Runner): void => {
  const keys = program.command('keys').description('API keys: create, list, change, revoke, restore');
  addCreate(keys, run);
  keys
    .command('list')
    .description('every key, oldest first; never the keys themselves')
    .option('--json', 'one JSON array on standard output')
    .action((options: JsonOption) => run((commandRun) => listKeys(options, commandRun)));
  keys
    .command('revoke')
    .description('end a key at once, irrevocably')
    .argument('<id>', 'id of the key')
    .action((id: string) => run((commandRun) => revokeKey(id, commandRun)));
  keys
    .command('update')
    .description('change the plan of a key')
    .argument('<id>', 'id of the key')
    .addOption(planOption())
    .action((id: string, { plan }: { plan: PlanName }) => run((commandRun) => updateKey(id, plan, commandRun)));
  keys
    .command('usage')
    .description('requests of a key in the present window')
    .argument('<id>', 'id of the key')
    .option('--json', 'one JSON object on standard output')
    .action((id: string, options: JsonOption) => run((commandRun) => keyUsage(id, options, commandRun)));
  keys
    .command('restore')
    .description('bring back missing keys from another table; keys that are there, revoked ones too, stay as they are')
    .requiredOption('--from <table>', 'name of the table, such as one restored from a backup')
    .action(({ from }: { from: string }) => run((commandRun) => restoreKeys(from, commandRun)));
};
