/**
 * Runs the tests that use a database on Amazon's own DynamoDB Local instead of the embedded engine:
 * `npm run test:dynamodb-local`. Arguments, such as a path, go to Jest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startDynamoDbLocal } from './dynamodb-local/dynamodb-local.ts';

/** Every test that reaches the file that gives tests their engine. */
const TESTS_WITH_DATABASE = ['--findRelatedTests', 'test/support/engine.ts'];
/** What a shell reports for a process that a signal ended. */
const ENDED_BY_SIGNAL = 130;

const wanted = process.argv.slice(2);
const engine = await startDynamoDbLocal();
const suite = spawn('npm', ['run', '--silent', 'jest', '--', ...(wanted.length > 0 ? wanted : TESTS_WITH_DATABASE)], {
  stdio: 'inherit',
  env: { ...process.env, TEST_DYNAMODB_ENDPOINT: engine.endpoint },
});
// A terminal sends Ctrl-C to the suite too; this process waits for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => suite.kill('SIGTERM'));
const [code] = await once(suite, 'exit');
await engine.close();
process.exitCode = code ?? ENDED_BY_SIGNAL;
