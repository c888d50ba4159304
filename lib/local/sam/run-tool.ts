import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Runs a program and returns its trimmed standard output.
 * @throws an error with the `code` `ENOENT` when there is no such program, and with `stderr` when it fails
 */
export const runTool = async (
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = process.cwd(),
): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, [...args], { env, cwd });
  return stdout.trim();
};
