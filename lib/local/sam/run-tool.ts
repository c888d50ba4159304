import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Runs a program to its end and gives its standard output, trimmed.
 * @throws an error with `code` `ENOENT` where there is no such program, and with `stderr` where it failed
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
