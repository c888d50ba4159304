/** Commands that change a key, and its admission. */
import { Command } from 'commander';
import { parseApiKey } from '../../core/access/api-key.ts';
import { authenticate } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { recentMap } from '../../core/access/recent-map.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { asCommandFailure } from '../../lib/admin/deployment/database.ts';
import { addKeysCommands } from '../../lib/admin/keys/keys-commands.ts';
import { TABLES } from './engine.ts';
import { type Caller, type Operation, resultOf } from './operation.ts';
import { alone } from './run-side.ts';

/** Runs a command of the CLI; returns its data. */
const run = async ({ db, moment }: Caller, ...args: readonly string[]): Promise<unknown> => {
  const deployment = { db, tableNames: TABLES, address: 'the engine', remedy: '' };
  const { stdout, stderr } = process;
  const { signal } = new AbortController();
  const surroundings = { stdout, stderr, signal, showsProgress: false, notice: () => undefined, env: {} };
  const context = { ...surroundings, now: () => moment.now, deployment, tableNames: TABLES, stagesFolder: '' };
  let data: unknown;
  const program = new Command();
  addKeysCommands(program, async (command) => {
    try {
      ({ data } = await command(context));
    } catch (error) {
      throw asCommandFailure(error, deployment);
    }
  });
  await program.parseAsync(['keys', ...args], { from: 'user' });
  return data;
};

/** One key. */
export const seededKey = await alone('f', [(caller) => run(caller, 'create', '--name', 'Acme', '--plan', 'free')]);

const { id, key } = resultOf<{ readonly id: string; readonly key: string }>(seededKey.outcomes[0]);

const command = (name: string, ...args: readonly string[]): Operation => ({
  name: `keys ${name}`,
  requests: [(caller) => run(caller, ...args)],
});

const admission: Operation = {
  name: 'admission',
  requests: [
    async ({ db, moment }) => {
      const presented = parseApiKey(key);
      if (presented === undefined) throw new Error('the key is malformed');
      const incrementUsage = usageTable(db, TABLES.usage).increment;
      const store = { findKey: keyFinder(db, TABLES.keys), incrementUsage, uncounted: recentMap<number>() };
      return authenticate(store, presented, moment.now);
    },
  ],
};

/** The commands, and an admission with the key. */
export const keyChanges: readonly Operation[] = [
  command('rotate', 'rotate', id),
  command('rotate at once', 'rotate', id, '--overlap-days', '0'),
  command('revoke', 'revoke', id),
  command('update', 'update', id, '--plan', 'premium'),
  admission,
];
