/** Commands that change a key, and its admission. */
import { addKeysCommands } from '../../admin/keys/keys-commands.ts';
import { parseApiKey } from '../../core/access/api-key.ts';
import { authenticate } from '../../core/access/authenticate.ts';
import { keyFinder } from '../../core/access/key-record.ts';
import { DEFAULT_PLANS } from '../../core/access/plans.ts';
import { requestCounter } from '../../core/access/request-counter.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { londonDate } from '../../core/runtime/clock.ts';
import { TABLES } from './engine.ts';
import { type Caller, eachWithEach, type Operation, type Pair, resultOf, runCli } from './operation.ts';
import { alone } from './run-side.ts';

const run = (caller: Caller, ...args: readonly string[]): Promise<unknown> =>
  runCli(addKeysCommands, caller, 'keys', ...args);

const seeded = await alone('f', [(caller) => run(caller, 'create', '--name', 'Acme', '--plan', 'free')]);

const { id, key } = resultOf<{ readonly id: string; readonly key: string }>(seeded.outcomes[0]);

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
      const counter = requestCounter(usageTable(db, TABLES.usage));
      const access = { findKey: keyFinder(db, TABLES.keys), counter, plans: DEFAULT_PLANS };
      return authenticate(access, presented, { now: moment.now, today: londonDate(moment.now) });
    },
  ],
};

const changes: readonly Operation[] = [
  command('rotate', 'rotate', id),
  command('rotate at once', 'rotate', id, '--overlap-days', '0'),
  command('revoke', 'revoke', id),
  command('update', 'update', id, '--plan', 'premium'),
  admission,
];

export const keyPairs: readonly Pair[] = eachWithEach(changes, seeded.stored);
