import pLimit from 'p-limit';
import type { KeyRecord } from '../../../core/access/keys-table.ts';
import { SCOPES } from '../../../core/access/scopes.ts';
import { KEPT_AFTER_WINDOW_SECONDS } from '../../../core/access/usage-table.ts';
import { CommandFailure, type CommandResult } from '../command/outcome.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { type KeyView, keysOf, keyView } from './keys.ts';
import { usageTable } from './usage-table.ts';

/** Maximum number of concurrent queries for the last use of keys. */
const MAX_QUERIES = 20;

/** Characters of a name and of a domain. With the widest values of the other columns, a row of `keys list` has 100. */
export const NAME_WIDTH = 20;
const DOMAIN_WIDTH = 21;

/** Each cell has one line per field, so that a row fits into 100 characters. */
const HEAD = ['id', 'name\nfollows', 'plan\nenv', 'state\nuntil', 'scopes\ndomains', 'last used\nUTC'];

/** `lastUsed` is null when the key was not used in the last 25 hours, and absent without the usage table. */
type ListedKey = KeyView & { readonly lastUsed?: string | null };

const shortened = (domain: string): string =>
  domain.length > DOMAIN_WIDTH ? `${domain.slice(0, DOMAIN_WIDTH - 1)}…` : domain;

const lastUsedText = ({ lastUsed }: ListedKey): string => {
  if (lastUsed === undefined) return 'unknown';
  return lastUsed === null ? 'not in 25 h' : `${lastUsed.slice(0, 10)}\n${lastUsed.slice(11, 16)}`;
};

const rowOf = (key: ListedKey): string[] => [
  key.id,
  [key.name, ...(key.follows === null ? [] : ['follows', key.follows])].join('\n'),
  `${key.plan}\n${key.environment}`,
  `${key.state}\n${key.revokedAt?.slice(0, 'YYYY-MM-DD'.length) ?? key.expires ?? 'no end'}`,
  [
    ...(key.scopes.length === SCOPES.length ? ['all'] : key.scopes),
    ...(key.domains?.map(shortened) ?? ['any domain']),
  ].join('\n'),
  lastUsedText(key),
];

/** The usage table; undefined when `--tables` names the keys table only, such as one that a deleted stack retained. */
const usageOf = ({ deployment: { db, tableNames } }: CommandContext) => {
  try {
    return usageTable(db, tableNames.usage);
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
};

/** The minute in which each key was last used, by its id. Keys that were not used in the last 25 hours are absent. */
const lastUses = async (
  keys: readonly KeyRecord[],
  usage: ReturnType<typeof usageTable>,
  context: CommandContext,
): Promise<ReadonlyMap<string, string>> => {
  const since = Math.floor(context.now().getTime() / 1_000) - KEPT_AFTER_WINDOW_SECONDS;
  const found = new Map<string, string>();
  await pLimit(MAX_QUERIES).map(keys, async ({ id }) => {
    const start = await usage.newestWindow(id, since);
    if (start !== undefined) found.set(id, new Date(start * 1_000).toISOString());
  });
  return found;
};

/** Lists all keys, oldest first, without the keys themselves. */
export const listKeys = async (context: CommandContext): Promise<CommandResult> => {
  const keys = await keysOf(context).list();
  const usage = usageOf(context);
  const used = usage && (await lastUses(keys, usage, context));
  const data: ListedKey[] = keys.map((key) => ({
    ...keyView(key, context.now()),
    ...(used && { lastUsed: used.get(key.id) ?? null }),
  }));
  const table = () => readableTable(HEAD, data.map(rowOf), { widths: [null, NAME_WIDTH] });
  return { text: data.length === 0 ? 'There are no keys yet.\n' : table(), data };
};
