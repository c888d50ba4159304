import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { runAdmin } from '../../lib/admin/program.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';

/** What a command line came to. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RejectedLine {
  readonly line: number;
  readonly reasons: readonly string[];
  readonly row: unknown;
}

/** The instant at which every command of these tests runs. */
export const NOW = new Date('2026-11-21T12:00:30.000Z');

const capture = (isTTY: boolean) => {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => chunks.join('') };
};

/** The process around a command, where it matters to a test. */
export interface CommandOptions {
  readonly isTTY?: boolean;
  readonly signal?: AbortSignal;
  readonly now?: Date;
  readonly ask?: (question: string) => Promise<string>;
}

/** Runs the whole program with captured output. */
export const runCommand = async (
  args: readonly string[],
  tableNames: TestEngine['names'],
  { isTTY = false, signal = new AbortController().signal, now = NOW, ask }: CommandOptions = {},
): Promise<CommandResult> => {
  const stdout = capture(isTTY);
  const stderr = capture(isTTY);
  const context = {
    stdout: stdout.stream,
    stderr: stderr.stream,
    now: () => now,
    tableNames,
    signal,
    ...(ask && { ask }),
  };
  const exitCode = await runAdmin(args, context);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
};

/** An engine for the tests of a file, a folder for each test, and the CLI on them. */
export const commandLine = () => {
  let engine: TestEngine;
  let folder: string;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'admin-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const pathOf = (name: string): string => join(folder, name);
  return {
    engine: () => engine,
    pathOf,
    run: (args: readonly string[], options?: Parameters<typeof runCommand>[2]) =>
      runCommand([...args, '--dynamodb', engine.endpoint], engine.names, options),
    file: async (name: string, content: string | Buffer): Promise<string> => {
      await writeFile(pathOf(name), content);
      return pathOf(name);
    },
    rejectedLines: async (path: string): Promise<RejectedLine[]> => {
      const text = await readFile(`${path}.rejected.ndjson`, 'utf8');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as RejectedLine);
    },
  };
};
