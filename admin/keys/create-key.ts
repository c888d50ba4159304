import { type Command, InvalidArgumentError, Option } from 'commander';
import { KEY_ENVIRONMENTS, type KeyEnvironment, newApiKey } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/key-record.ts';
import { SCOPES, type Scope } from '../../core/access/scopes.ts';
import { isCalendarDate, type LondonDate, londonDate } from '../../core/runtime/clock.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf, findControlCharacter } from '../command/format.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { domainsOption, planOption, required, requirePlan } from './key-options.ts';
import { changeBy, keyView, newKeyText, openKeys } from './keys.ts';

const MAX_NAME_LENGTH = 100;

const parseName = (text: string): string => {
  const name = text.trim();
  const control = findControlCharacter(name);
  if (control !== undefined) {
    throw new InvalidArgumentError(`A name has no control or direction characters: remove ${control}.`);
  }
  if (name !== '' && [...name].length <= MAX_NAME_LENGTH && name.isWellFormed()) return name;
  throw new InvalidArgumentError(`A name has 1 to ${MAX_NAME_LENGTH} characters.`);
};

const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** Each scope once, in the order of the documentation. */
const parseScopes = (text: string): Scope[] => {
  const wanted = text.split(',').map((scope) => scope.trim());
  if (wanted.every(isScope)) return SCOPES.filter((scope) => wanted.includes(scope));
  throw new InvalidArgumentError(`Allowed scopes, separated by commas: ${SCOPES.join(', ')}.`);
};

const parseExpiry = (text: string): LondonDate => {
  if (isCalendarDate(text)) return text;
  throw new InvalidArgumentError('Use a date of the form YYYY-MM-DD.');
};

interface CreateKeyOptions {
  readonly name?: string;
  readonly plan?: string;
  readonly scopes: readonly Scope[];
  readonly domains?: readonly string[];
  readonly expires?: string;
  readonly env: KeyEnvironment;
}

/** Creates a key and shows it once; only its hash is stored. */
const createKey = async ({ env, ...given }: CreateKeyOptions, context: CommandContext): Promise<CommandResult> => {
  const options = { ...given, name: required(given.name, '--name'), plan: required(given.plan, '--plan') };
  requirePlan(options.plan, context.deployment);
  const today = londonDate(context.now());
  if (options.expires !== undefined && options.expires < today) {
    throw new CommandFailure(
      `${options.expires} is in the past: use --expires ${today} (today, Europe/London) or a later day, or leave it out`,
    );
  }
  const { by: createdBy, at: now } = await changeBy(context);
  const { key, ...identity } = newApiKey(env);
  const record: KeyRecord = { ...identity, createdAt: now.toISOString(), createdBy, environment: env, ...options };
  await openKeys(context).add(record);
  const { id, ...shown } = keyView(record, now);
  const expires = record.expires === undefined ? 'never' : `after ${record.expires} (Europe/London)`;
  return { text: newKeyText(`API key of ${record.name}`, key, record, { expires }), data: { id, key, ...shown } };
};

/** Adds `keys create`. */
export const addCreateKey = (keys: Command, run: Runner): void => {
  const name = new Option('--name <name>', 'name of the owner, 1 to 100 characters (required)').argParser(parseName);
  const scopes = new Option('--scopes <scopes>', `allowed operations, any of ${SCOPES.join(',')}`);
  const environment = new Option('--env <env>', 'environment in the prefix of the key');
  keys
    .command('create')
    .description('create a key and show it once')
    .addOption(name)
    .addOption(planOption('plan of the key, one of those of the stage (required)'))
    .addOption(scopes.argParser(parseScopes).default([...SCOPES], 'all'))
    .addOption(domainsOption('bind the key to content domains, such as a.example,b.example (default: any domain)'))
    .addOption(new Option('--expires <day>', 'last day of the key, YYYY-MM-DD').argParser(parseExpiry))
    .addOption(environment.choices(KEY_ENVIRONMENTS).default('live'))
    .addHelpText('after', exampleOf('keys create --name "Acme Fleet" --plan standard'))
    .action((options: CreateKeyOptions) => run((context) => createKey(options, context)));
};
