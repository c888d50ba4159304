import { type Command, InvalidArgumentError, Option } from 'commander';
import { isAddressRange } from '../../core/access/addresses.ts';
import { KEY_ENVIRONMENTS } from '../../core/access/api-key.ts';
import { KEY_SCOPES, SCOPES, type Scope } from '../../core/access/scopes.ts';
import { CreateContent } from '../../core/content/schemas.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { CommandFailure } from '../command/command-result.ts';
import { exampleOf, parseDay } from '../command/format.ts';
import type { Runner } from '../deployment/deployment.ts';
import { type CreateKeyOptions, createKey, restoreKeys, revokeKey, rotateKey, updateKey } from './change-keys.ts';
import type { KeyChanges } from './key-store.ts';
import { KEY_STATES, requireKeyId } from './keys.ts';
import { ENDS_SOON_DAYS, type ListOptions, listKeys } from './list-keys.ts';
import { type MonthOptions, monthlyUsage, recentUsage } from './usage.ts';

const MAX_NAME_LENGTH = 100;
/** Domains of one key, which an API error lists, or its addresses, which each of its requests reads. */
const MAX_BINDINGS = 50;
const MAX_OVERLAP_DAYS = 365;

const parseName = (text: string): string => {
  const name = text.trim();
  // A name has no control characters and none that turn the direction of text, because a terminal shows it.
  if (/^\P{C}+$/u.test(name) && [...name].length <= MAX_NAME_LENGTH) return name;
  throw new InvalidArgumentError(`A name has 1 to ${MAX_NAME_LENGTH} characters, none of them invisible.`);
};

/** In lower case, so that a customer is not two in an invoice. */
const parseCustomer = (text: string): string => {
  if (/^[a-z0-9][a-z0-9_-]{0,31}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError(
    'A customer has 1 to 32 letters, digits, _ and -, and begins with a letter or a digit.',
  );
};

const isScope = (text: string): text is Scope => (KEY_SCOPES as readonly string[]).includes(text);

/** Each scope once, in the order of the documentation. */
const parseScopes = (text: string): Scope[] => {
  const wanted = text.split(',').map((scope) => scope.trim());
  if (wanted.every(isScope)) return KEY_SCOPES.filter((scope) => wanted.includes(scope));
  throw new InvalidArgumentError(`Allowed scopes, separated by commas: ${KEY_SCOPES.join(', ')}.`);
};

const isDomain = (text: string): boolean => validationIssues(CreateContent.properties.domain, text).length === 0;

/** Each one once, in lower case. */
const parseBindings = (text: string, isBinding: (text: string) => boolean, form: string): string[] => {
  const bindings = new Set(text.split(',').map((one) => one.trim().toLowerCase()));
  if (bindings.size <= MAX_BINDINGS && [...bindings].every(isBinding)) return [...bindings];
  throw new InvalidArgumentError(`Write 1 to ${MAX_BINDINGS} ${form}.`);
};

const DOMAINS =
  'whole domains separated by commas, such as a.example,b.example: letters, digits and hyphens in labels joined by dots, at most 253 characters each';
const ADDRESSES = 'IP addresses or ranges separated by commas, such as 203.0.113.7,2001:db8::/32';

/** A day, or false for `never`. */
const parseLastDay = (text: string): LondonDate | false => (text === 'never' ? false : parseDay(text));

const parseOverlapDays = (text: string): number => {
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_OVERLAP_DAYS) return Number(text);
  throw new InvalidArgumentError(
    `Write a whole number of days from 0 to ${MAX_OVERLAP_DAYS}; 0 revokes the old key at once.`,
  );
};

const parseMonth = (text: string): string => {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Use a month of the form YYYY-MM.');
};

const domainsOption = (description: string) =>
  new Option('--domains <domains>', description).argParser((text) => parseBindings(text, isDomain, DOMAINS));

const customerOption = (description: string) =>
  new Option('--customer <customer>', description).argParser(parseCustomer);

const addressesOption = (description: string) =>
  new Option('--addresses <ranges>', description).argParser((text) => parseBindings(text, isAddressRange, ADDRESSES));

const addUsageCommand = (keys: Command, run: Runner): void => {
  keys
    .command('usage')
    .description('requests and units of a key in the last 24 hours, or of a key or every key per day of a month (UTC)')
    .argument('[id]', 'id of the key; every key without it, with --month')
    .option('--month <month>', 'month, YYYY-MM', parseMonth)
    .option('--csv <file>', 'with --month: also write a row per line and day; an existing file is replaced')
    .option(
      '--by-customer',
      'with --month: count as one the keys of a customer, or a key without one and its successors',
    )
    .addHelpText('after', exampleOf('keys usage --month 2026-01 --by-customer --csv usage.csv'))
    .action((text: string | undefined, { month, ...options }: MonthOptions & { month?: string }) =>
      run((context) => {
        const id = text === undefined ? undefined : requireKeyId(text);
        if (month !== undefined) return monthlyUsage(id, month, options, context);
        if (options.csv !== undefined || options.byCustomer) {
          throw new CommandFailure('--csv and --by-customer belong to a month: name it with --month YYYY-MM');
        }
        if (id === undefined) throw new CommandFailure('the id of a key is missing, or --month; see --help');
        return recentUsage(id, context);
      }),
    );
};

export const addKeysCommands = (program: Command, run: Runner): void => {
  const keys = program.command('keys').description('API keys: create, list, rotate, change, revoke, usage, restore');
  keys
    .command('create')
    .description('create a key and show it once')
    .requiredOption('--name <name>', `name of the owner, 1 to ${MAX_NAME_LENGTH} characters (required)`, parseName)
    .requiredOption('--plan <plan>', 'plan of the key, one of those of the stage (required)')
    .addOption(customerOption('whose key it is, such as acme, for "keys usage --by-customer" (default: nobody\'s)'))
    .addOption(
      new Option('--scopes <scopes>', `allowed operations, any of ${KEY_SCOPES.join(',')}`)
        .argParser(parseScopes)
        .default([...SCOPES], 'all but vehicles:status, which vehicles:read includes'),
    )
    .addOption(domainsOption('bind the key to content domains, such as a.example,b.example (default: any domain)'))
    .addOption(
      addressesOption('IP addresses that may use the key, such as 203.0.113.0/24,2001:db8::/32 (default: any)'),
    )
    .option('--expires <day>', 'last day of the key, YYYY-MM-DD', parseDay)
    .addOption(
      new Option('--env <env>', 'environment in the prefix of the key').choices(KEY_ENVIRONMENTS).default('live'),
    )
    .addHelpText('after', exampleOf('keys create --name "Acme Fleet" --plan standard'))
    .action((options: CreateKeyOptions) => run((context) => createKey(options, context)));
  keys
    .command('list')
    .description(`keys, oldest first, never the keys themselves; "ends soon" is within ${ENDS_SOON_DAYS} days`)
    .addOption(new Option('--state <state>', 'only keys in this state').choices(KEY_STATES))
    .option('--name <text>', 'only keys whose name contains this text, in upper or lower case')
    .addHelpText('after', exampleOf('keys list --state active --name acme'))
    .action((options: ListOptions) => run((context) => listKeys(options, context)));
  keys
    .command('rotate')
    .description('create the successor of a key and show it once; the old key ends after the overlap')
    .argument('<id>', 'id of the key')
    .option(
      '--overlap-days <days>',
      'days after today for which the old key stays valid; 0 revokes it at once',
      parseOverlapDays,
      7,
    )
    .option('--expires <day>', 'last day of the successor, or "never" (default: that of the old key)', parseLastDay)
    .addHelpText('after', exampleOf('keys rotate 0123456789abcdef0123 --overlap-days 14'))
    .action((id: string, { overlapDays, expires }: { overlapDays: number; expires?: string | false }) =>
      run((context) => rotateKey(requireKeyId(id), overlapDays, expires, context)),
    );
  keys
    .command('revoke')
    .description('revoke a key at once and permanently')
    .argument('<id>', 'id of the key')
    .addHelpText('after', exampleOf('keys revoke 0123456789abcdef0123'))
    .action((id: string) => run((context) => revokeKey(requireKeyId(id), context)));
  keys
    .command('update')
    .description('change the plan of a key, its customer, its content domains or addresses, or its last day')
    .argument('<id>', 'id of the key')
    .option('--plan <plan>', 'new plan of the key, one of those of the stage')
    .addOption(customerOption('whose key it is, such as acme'))
    .option('--no-customer', 'let the key be of no customer')
    .addOption(domainsOption('bind the key to these content domains only, such as a.example,b.example'))
    .option('--no-domains', 'let the key use any content domain')
    .addOption(addressesOption('let only these IP addresses use the key, such as 203.0.113.0/24,2001:db8::/32'))
    .option('--no-addresses', 'let any address use the key')
    .option('--expires <day>', 'last day of the key, YYYY-MM-DD, or "never"', parseLastDay)
    .addHelpText('after', exampleOf('keys update 0123456789abcdef0123 --plan premium'))
    .action((id: string, options: KeyChanges) => run((context) => updateKey(requireKeyId(id), options, context)));
  addUsageCommand(keys, run);
  keys
    .command('restore')
    .description('restore missing keys from another table; existing keys, including revoked ones, are not changed')
    .requiredOption('--from <table>', 'name of the table, such as one restored from a backup (required)')
    .addHelpText('after', exampleOf('keys restore --from restored-keys --stack vehicle-verification-prod'))
    .action(({ from }: { from: string }) => run((context) => restoreKeys(from, context)));
};
