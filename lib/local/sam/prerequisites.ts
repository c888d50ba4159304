import { CannotStart } from '../options.ts';
import { runTool } from './run-tool.ts';

const SAM_MISSING =
  'SAM CLI is not installed. Get it with `pipx install aws-sam-cli`, `brew install aws-sam-cli` or from ' +
  'https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/install-sam-cli.html.';
const DOCKER_MISSING =
  'Docker is not installed. Get it from https://docs.docker.com/get-docker or with `apt install docker.io`.';
const ENGINE_SILENT =
  'Docker is installed, but no engine answers. Start Docker Desktop, or `sudo systemctl start docker`.';
const ENGINE_FORBIDDEN =
  'Docker runs, but not for you. `sudo usermod -aG docker $USER` and a new login let you use it.';

const explainSam = ({ code }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? SAM_MISSING : 'SAM CLI is installed, but `sam --version` fails. Install it again.';

const explainDocker = ({ code, stderr }: NodeJS.ErrnoException & { readonly stderr?: string }): string => {
  if (code === 'ENOENT') return DOCKER_MISSING;
  return /permission denied/i.test(stderr ?? '') ? ENGINE_FORBIDDEN : ENGINE_SILENT;
};

/** What keeps a tool from being used, or nothing. */
const complaintAbout = async <Fault>(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  explain: (fault: Fault) => string,
): Promise<string[]> => {
  try {
    await runTool(command, args, env);
    return [];
  } catch (error) {
    return [explain(error as Fault)];
  }
};

/** Makes sure of SAM CLI and a Docker engine. @throws CannotStart with everything that is missing and how to get it */
export const requireTools = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const complaints = await Promise.all([
    complaintAbout('sam', ['--version'], env, explainSam),
    complaintAbout('docker', ['version', '--format', '{{.Server.Version}}'], env, explainDocker),
  ]);
  if (complaints.flat().length > 0) throw new CannotStart(complaints.flat().join('\n'));
};
