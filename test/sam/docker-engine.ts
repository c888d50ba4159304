import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { CleanUp } from '../../lib/local/sam/clean-up.ts';
import { runCommand, succeeds } from '../support/run-command.ts';
import { requirePrograms } from './runtime-client.ts';
import { startWatched } from './watched-process.ts';

const BRIDGE = 'docker0';
const START_SECONDS = 60;
const POLL_MS = 250;

const hasBridge = () => existsSync(`/sys/class/net/${BRIDGE}`);

/** Works inside another container, too: no firewall rules, no forwarding, no overlay. */
const engineArguments = (folder: string, host: string): string[] => [
  ...['--host', host, '--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
  ...['--pidfile', join(folder, 'pid'), '--storage-driver=vfs'],
  ...['--iptables=false', '--ip6tables=false', '--ip-forward=false'],
];

const answers = (host: string) => succeeds('docker', ['version'], { ...process.env, DOCKER_HOST: host });

const untilAnswers = async (host: string): Promise<boolean> => {
  for (let waited = 0; waited < START_SECONDS * 1_000; waited += POLL_MS) {
    if (await answers(host)) return true;
    await pause(POLL_MS);
  }
  return false;
};

const startOwn = async (cleanUp: CleanUp): Promise<string> => {
  await requirePrograms({ dockerd: 'docker.io', docker: 'docker.io', ip: 'iproute2' });
  const folder = await mkdtemp(join(tmpdir(), 'docker-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  if (!hasBridge()) cleanUp.defer(() => runCommand('ip', ['link', 'delete', BRIDGE]));
  const host = `unix://${join(folder, 'socket')}`;
  const engine = startWatched('dockerd', engineArguments(folder, host));
  cleanUp.defer(() => engine.stop());
  engine.child.stdout.resume();
  const complaint = text(engine.child.stderr);
  const isUp = await Promise.race([untilAnswers(host), engine.ended.then(() => false)]);
  if (isUp) return host;
  await engine.stop();
  throw new Error(`No Docker engine could be started:\n${(await complaint).slice(-2_000)}`);
};

/** A Docker engine: the one that answers, or one of our own, which ends and leaves nothing when `cleanUp` says so. */
export const requireEngine = async (cleanUp: CleanUp): Promise<NodeJS.ProcessEnv> => {
  if (await succeeds('docker', ['version'])) return process.env;
  return { ...process.env, DOCKER_HOST: await startOwn(cleanUp) };
};
