import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a program and passes its exit code on; asks it to end as soon as the pipe on standard input closes, which is
 * also what happens when the process at the other end is killed.
 */
const WATCH = `
exec 3<&0
"$0" "$@" </dev/null 3<&- &
program=$!
{ cat <&3; kill -TERM $program; } >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait $program
code=$?
kill $watcher 2>/dev/null
exit $code
`;

/** A program that never outlives this process. */
export interface WatchedProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its exit code. */
  readonly ended: Promise<number>;
  /** Asks it to end and gives its exit code. */
  readonly stop: () => Promise<number>;
}

/** Starts a program in a group of its own, out of reach of Ctrl-C. */
export const startWatched = (
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): WatchedProcess => {
  const child = spawn('/bin/sh', ['-c', WATCH, command, ...args], { env, detached: true, stdio: 'pipe' });
  const ended = once(child, 'exit').then(([code]): number => {
    child.stdin.end();
    return code ?? -1;
  });
  return {
    child,
    ended,
    stop: () => {
      child.stdin.end();
      return ended;
    },
  };
};
