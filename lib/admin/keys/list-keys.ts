import type { KeyRecord } from '../../../core/access/keys-table.ts';
import { SCOPES } from '../../../core/access/scopes.ts';
import { KEPT_AFTER_WINDOW_SECONDS } from '../../../core/access/usage-table.ts';
import { CommandFailure, type CommandResult } from '../command/outcome.ts';
import { readableTable } from '../command/readable-table.ts';
import type { CommandRun } from '../deployment/deployment.ts';
import { type KeyView, keysOf, keyView } from './keys.ts';
import { usageTable } from './usage-table.ts';

/** Queries for the last use of a key that run at once. */
const MAX_QUERIES = 20;

/** Columns of a name and of a domain: with the widest of the other columns, a row of `keys list` has 100. */
export const NAME_WIDTH = 20;
const DOMAIN_WIDTH = 21;

/** A cell has a line per fact, so that a row fits. */
const HEAD = ['id', 'name\nfollows', 'plan\nenv', 'state\nuntil', 'scopes\ndomains', 'last used\nUTC'];

/** `lastUsed` is null for a key that was not sent in 25 hours, and absent where the counters are not known. */
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

/** The counters; undefined where the operator named the table of keys only, such as one that a deleted stack left behind. */
const usageOf = ({ deployment: { db, tableNames } }: CommandRun) => {
  try {
    return usageTable(db, tableNames.usage);
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
};

/** The minute in which each key was last sent, by its id; absent where that is more than 25 hours ago. */
const lastUses = async (
  keys: readonly KeyRecord[],
  usage: ReturnType<typeof usageTable>,
  run: CommandRun,
): Promise<ReadonlyMap<string, string>> => {
  const since = Math.floor(run.now().getTime() / 1_000) - KEPT_AFTER_WINDOW_SECONDS;
  const found = new Map<string, string>();
  for (let first = 0; first < keys.length; first += MAX_QUERIES) {
    const starts = keys.slice(first, first + MAX_QUERIES).map(async ({ id }) => {
      const start = await usage.newestWindow(id, since);
      if (start !== undefined) found.set(id, new Date(start * 1_000).toISOString());
    });
    await Promise.all(starts);
  }
  return found;
};

/** Every key, oldest first, without the keys themselves. */
export const listKeys = async (run: CommandRun): Promise<CommandResult> => {
  const keys = await keysOf(run).list();
  const usage = usageOf(run);
  const used = usage && (await lastUses(keys, usage, run));
  const data: ListedKey[] = keys.map((key) => ({
    ...keyView(key, run.now()),
    ...(used && { lastUsed: used.get(key.id) ?? null }),
  }));
  const table = () => readableTable(HEAD, data.map(rowOf), { widths: [null, NAME_WIDTH] });
  return { text: data.length === 0 ? 'There are no keys yet.\n' : table(), data };
};
