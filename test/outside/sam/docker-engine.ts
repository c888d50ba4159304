import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../../support/program.ts';
import { CACHE } from '../../support/python-tools.ts';
import { runCommand, succeeds } from '../../support/run-command.ts';

const BRIDGE = 'docker0';
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x86_64';
/** The image that SAM CLI uses, and the one that it builds from it. */
const BASE_IMAGE = `public.ecr.aws/lambda/nodejs:24-${ARCHITECTURE}`;
const IMAGE_OF_SAM = `public.ecr.aws/lambda/nodejs:24-rapid-${ARCHITECTURE}`;

/** A Docker engine with a base image, as the environment that names it. */
export interface DockerEngine {
  readonly env: NodeJS.ProcessEnv;
  /** Stops and removes what this test started. */
  readonly stop: () => Promise<unknown>;
}

/** Also works inside another container: no firewall rules, no forwarding, no overlay. */
const startOwn = async (): Promise<DockerEngine> => {
  const folder = await mkdtemp(join(tmpdir(), 'docker-'));
  const hadBridge = existsSync(`/sys/class/net/${BRIDGE}`);
  const host = `unix://${join(folder, 'socket')}`;
  const places = ['data-root', 'exec-root', 'pidfile'].flatMap((name) => [`--${name}`, join(folder, name)]);
  const network = ['--iptables=false', '--ip6tables=false', '--ip-forward=false'];
  const engine = startProgram('dockerd', ['--host', host, ...places, ...network, '--storage-driver=vfs'], process.env);
  const stop = async () => {
    await engine.stop();
    if (!hadBridge) await runCommand('ip', ['link', 'delete', BRIDGE]);
    await rm(folder, { recursive: true });
  };
  await engine.printed(/API listen on/);
  return { env: { ...process.env, DOCKER_HOST: host }, stop };
};

/** The running Docker engine, or a new one; with AWS's base image if it was pulled, otherwise with a substitute. */
export const requireDocker = async (): Promise<DockerEngine> => {
  const engine = (await succeeds('docker', ['version']))
    ? { env: process.env, stop: async () => {} }
    : await startOwn();
  const { env } = engine;
  if (await succeeds('docker', ['image', 'inspect', BASE_IMAGE], env)) return engine;
  const removeImages = () => succeeds('docker', ['image', 'rm', '--force', IMAGE_OF_SAM, BASE_IMAGE], env);
  await removeImages();
  await runCommand(join(import.meta.dirname, 'base-image/build'), [BASE_IMAGE, CACHE], { env });
  process.stdout.write("The functions run on a stand-in of ours for AWS's base image.\n");
  const stop = async () => {
    await removeImages();
    await engine.stop();
  };
  return { env, stop };
};
