import { type Command, Option } from 'commander';
import { CommandFailure } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { domainsOption, planOption, requirePlan } from './key-options.ts';
import { changeBy, keyView, openKeys, requireKeyId } from './keys.ts';

interface UpdateKeyOptions {
  readonly plan?: string;
  /** False for `--no-domains`. */
  readonly domains?: readonly string[] | false;
}

/** Changes the plan of a key, its domains or both, from its next request on. */
const updateKey = async (text: string, { plan, domains }: UpdateKeyOptions, context: CommandContext) => {
  const id = requireKeyId(text);
  if (plan === undefined && domains === undefined) {
    throw new CommandFailure('one of --plan, --domains and --no-domains is missing; see --help');
  }
  requirePlan(plan, context.deployment);
  const changes = { plan, domains: domains === false ? null : domains };
  const record = await openKeys(context).update(id, changes, await changeBy(context));
  const binding = record.domains === undefined ? 'any domain' : record.domains.join(', ');
  return {
    text: `Key ${id} (${record.name}) is on plan ${record.plan}, for content of ${binding}.\n`,
    data: keyView(record, context.now()),
  };
};

/** Adds `keys update`. */
export const addUpdateKey = (keys: Command, run: Runner): void => {
  const command = keys
    .command('update')
    .description('change the plan of a key, the content domains that it is bound to, or both')
    .argument('<id>', 'id of the key')
    .addHelpText('after', exampleOf('keys update 0123456789abcdef0123 --plan premium'))
    .addOption(planOption('new plan of the key, one of those of the stage'))
    .addOption(domainsOption('bind the key to these content domains only, such as a.example,b.example'))
    .addOption(new Option('--no-domains', 'let the key use any content domain'));
  // Both options set the same value, and commander would keep only the last.
  const given = new Set<string>();
  for (const option of ['domains', 'no-domains']) command.on(`option:${option}`, () => given.add(option));
  command.action((id: string, options: UpdateKeyOptions) =>
    run(async (context) => {
      if (given.size > 1)
        throw new CommandFailure('--domains and --no-domains contradict each other: write one of them');
      return updateKey(id, options, context);
    }),
  );
};
