import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Engine, startEmbeddedEngine } from '../engine/embedded.ts';
import { CannotStart, explainListenError } from '../options.ts';

/** The name of the Docker host in containers. On Linux `--add-host` defines it. */
export const HOST_NAME = 'host.docker.internal';

/** Runs a program and returns its trimmed standard output. @throws CannotStart with what is wrong */
export const runTool = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> => {
  try {
    return (await promisify(execFile)(command, [...args], { env })).stdout.trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CannotStart(`${command} is not installed: see docs/sam-local.md.`);
    throw new CannotStart(message.trim());
  }
};

/** The address of the Docker host for its containers. Before the first container the bridge may have no gateway yet. */
export const bridgeGateway = async (env: NodeJS.ProcessEnv): Promise<string> => {
  const args = ['network', 'inspect', 'bridge', '--format', '{{json (index .IPAM.Config 0)}}'];
  const { Gateway, Subnet } = JSON.parse(await runTool('docker', args, env));
  return Gateway || String(Subnet).replace(/\.0\/\d+$/, '.1');
};

/**
 * Starts the embedded DynamoDB where containers reach it and other machines do not: at the gateway of the bridge or,
 * for Docker Desktop with its virtual machine, on the loopback interface. @throws CannotStart when the port is taken
 */
export const startReachableEngine = (gateway: string, port: number, hosts: readonly string[]): Promise<Engine> => {
  const startOn = (host: string) => startEmbeddedEngine({ port, host, allowedHosts: [HOST_NAME, ...hosts] });
  return startOn(gateway)
    .catch((error) => (error.code === 'EADDRNOTAVAIL' ? startOn('127.0.0.1') : Promise.reject(error)))
    .catch(explainListenError('DYNAMODB_PORT', port));
};
