import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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

/** Writes a key and a self-signed certificate for this machine into a folder. @throws Error where there is no openssl */
const makeCertificate = async (folder: string) => {
  const [privateKey, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-keyout', privateKey, '-out', certificate];
  await promisify(execFile)('openssl', [...request, ...subject]);
  return { privateKey, certificate };
};

/** Starts the stub in a process of its own. It speaks TLS, as DynamoDB does. */
export const startStub = async (): Promise<Stub> => {
  const key = generateKey('test');
  const folder = await mkdtemp(join(tmpdir(), 'stub-'));
  const { privateKey, certificate } = await makeCertificate(folder);
  const program = fileURLToPath(new URL('./database-process.ts', import.meta.url));
  const child = fork(program, [key, privateKey, certificate]);
  const [endpoint] = (await once(child, 'message')) as [string];
  await rm(folder, { recursive: true });
  return {
    key,
    env: {
      ...localEnvironment(endpoint, STUB_TABLES),
      PATH: process.env.PATH,
      // The certificate is self-signed.
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
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
