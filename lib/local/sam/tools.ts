/** The programs that `npm run sam` uses: SAM CLI, Docker, the CDK. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CannotStart } from '../options.ts';

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

const SAM_MISSING =
  'SAM CLI is not installed. Get it with `pipx install aws-sam-cli`, `brew install aws-sam-cli` or from ' +
  'https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/install-sam-cli.html.';
const DOCKER_MISSING =
  'Docker is not installed. Get it from https://docs.docker.com/get-docker or with `apt install docker.io`.';
const ENGINE_STOPPED =
  'Docker is installed, but no engine answers. Start Docker Desktop, or run `sudo systemctl start docker`.';
const ENGINE_FORBIDDEN = 'You may not use Docker. Run `sudo usermod -aG docker $USER` and log in again.';

const explainSam = ({ code }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? SAM_MISSING : 'SAM CLI is installed, but `sam --version` fails. Install it again.';

const explainDocker = ({ code, stderr }: NodeJS.ErrnoException & { readonly stderr?: string }): string => {
  if (code === 'ENOENT') return DOCKER_MISSING;
  return /permission denied/i.test(stderr ?? '') ? ENGINE_FORBIDDEN : ENGINE_STOPPED;
};

/** Explains why a tool cannot be used; empty when it can. */
const problemsOf = async <Failure>(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  explain: (error: Failure) => string,
): Promise<string[]> => {
  try {
    await runTool(command, args, env);
    return [];
  } catch (error) {
    return [explain(error as Failure)];
  }
};

/** Checks that SAM CLI and a Docker engine can be used. @throws CannotStart with all that is missing and how to get it */
export const requireTools = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const problems = await Promise.all([
    problemsOf('sam', ['--version'], env, explainSam),
    problemsOf('docker', ['version', '--format', '{{.Server.Version}}'], env, explainDocker),
  ]);
  if (problems.flat().length > 0) throw new CannotStart(problems.flat().join('\n'));
};
