import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CleanUp } from '../../lib/local/sam/clean-up.ts';
import { runCommand, succeeds } from '../support/run-command.ts';
import { layOutRoot } from './root-filesystem.ts';

const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
const REPOSITORY = 'public.ecr.aws/lambda/nodejs';

/** The name under which SAM CLI looks for its base image, and the image that it makes of it. */
const BASE_IMAGE = `${REPOSITORY}:24-${architecture}`;
const IMAGE_OF_SAM = `${REPOSITORY}:24-rapid-${architecture}`;

const ENVIRONMENT = 'PATH=/var/lang/bin:/bin LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime TZ=:UTC';

const importRoot = async (root: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const tar = spawn('tar', ['--create', '--owner=0', '--group=0', '--directory', root, '.'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const changes = ['--change', 'WORKDIR /var/task', '--change', `ENV ${ENVIRONMENT}`];
  await runCommand('docker', ['import', ...changes, '-', BASE_IMAGE], { env, input: tar.stdout });
};

const importStandIn = async (env: NodeJS.ProcessEnv): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), 'base-image-'));
  try {
    await layOutRoot(root);
    await importRoot(root, env);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

/** What the functions run on, in words for the log. */
export type BaseImage = 'the base image that is there already' | 'a stand-in of ours for the base image of AWS';

/**
 * Makes sure of the base image that SAM CLI wants. Where it has not been pulled, a STAND-IN OF OURS goes under its name:
 * Node 24 and AWS's runtime interface client on this machine's libraries. It proves bundle, template, handler and
 * runtime protocol; it does not prove Amazon Linux or the exact Node of AWS's image. `cleanUp` takes it away again.
 */
export const requireBaseImage = async (env: NodeJS.ProcessEnv, cleanUp: CleanUp): Promise<BaseImage> => {
  if (await succeeds('docker', ['image', 'inspect', BASE_IMAGE], env)) return 'the base image that is there already';
  cleanUp.defer(async () => {
    await succeeds('docker', ['image', 'rm', '--force', IMAGE_OF_SAM, BASE_IMAGE], env);
  });
  // What SAM once made of another base image would be taken instead.
  await succeeds('docker', ['image', 'rm', '--force', IMAGE_OF_SAM], env);
  await importStandIn(env);
  return 'a stand-in of ours for the base image of AWS';
};
