import { join } from 'node:path';
import { runCommand } from '../../support/run-command.ts';

interface Build {
  readonly project: string;
  /** For reading the project. */
  readonly operator: NodeJS.ProcessEnv;
  /** For the build itself. */
  readonly role: NodeJS.ProcessEnv;
  /** The folder of the CDK's output, which has the program. */
  readonly assembly: string;
}

/** Runs a deployed build here, because the emulator has no containers. Returns its output. */
export const runBuild = async ({ project, operator, role, assembly }: Build): Promise<string> => {
  const get = ['codebuild', 'batch-get-projects', '--names', project, '--query', 'projects[0]', '--output', 'json'];
  const { source } = JSON.parse(await runCommand('aws', get, { env: operator }));
  const { commands } = JSON.parse(source.buildspec).phases.build;
  return runCommand('/bin/sh', ['-c', commands.join(' && ')], {
    env: role,
    cwd: join(assembly, `asset.${/(\w+)\.zip$/.exec(source.location)?.[1]}`),
    accepted: [0],
  });
};
