import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { generateKey, hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { localEnvironment } from '../../lib/local/environment.ts';
import { STUB_TABLES } from './table-names.ts';

/** A database that answers the requests of an insurance look-up, and what a look-up needs to ask it. */
export interface Stub {
  readonly key: string;
  /** The variables of a function: the database's, and production's for log and metrics. */
  readonly env: NodeJS.ProcessEnv;
  /** How often each request was sent (`GetItem stub-keys`) since this was last asked. */
  readonly tally: () => Promise<Readonly<Record<string, number>>>;
  readonly close: () => void;
}

/** Starts the stub in a process of its own. */
export const startStub = async (): Promise<Stub> => {
  const key = generateKey('test');
  const child = fork(fileURLToPath(new URL('./database-process.ts', import.meta.url)), [key]);
  const [endpoint] = (await once(child, 'message')) as [string];
  return {
    key,
    env: {
      ...localEnvironment(endpoint, STUB_TABLES),
      PATH: process.env.PATH,
      POWERTOOLS_SERVICE_NAME: 'vehicle-verification',
      POWERTOOLS_LOG_LEVEL: 'INFO',
      POWERTOOLS_METRICS_NAMESPACE: 'bench',
      // The raw handler does not read the request's key.
      KEY_ID: keyIdOf(hashKey(key)),
    },
    tally: async () => {
      const told = once(child, 'message');
      child.send('tally');
      const [tally] = await told;
      return tally;
    },
    close: () => child.disconnect(),
  };
};
