/** Runs the test suite on Amazon's own DynamoDB Local instead of the embedded engine: `npm run test:dynamodb-local`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startDynamoDbLocal } from './dynamodb-local/dynamodb-local.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
];
/** What a shell reports for a process that a signal ended. */
const ENDED_BY_SIGNAL = 130;

const runSuite = async (endpoint: string): Promise<number> => {
  const suite = spawn(process.execPath, [...JEST, ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, TEST_DYNAMODB_ENDPOINT: endpoint },
  });
  // A terminal sends Ctrl-C to the suite too; this process stays until the suite is through.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => suite.kill('SIGTERM'));
  const [code] = await once(suite, 'exit');
  return code ?? ENDED_BY_SIGNAL;
};

const main = async (): Promise<number> => {
  const engine = await startDynamoDbLocal();
  try {
    return await runSuite(engine.endpoint);
  } finally {
    await engine.close();
  }
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
