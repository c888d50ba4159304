import { runTool } from './tools.ts';

interface Subnet {
  readonly Subnet?: string;
  readonly Gateway?: string;
}

const FIRST_HOST = /^(\d+\.\d+\.\d+)\.0\//;

/**
 * The address of the Docker host on the network of its containers. Before the first container the bridge may not have a
 * gateway yet; Docker then uses the first address of the subnet.
 */
export const gatewayOf = ([first]: readonly Subnet[]): string | undefined => {
  if (first?.Gateway) return first.Gateway;
  const network = FIRST_HOST.exec(first?.Subnet ?? '')?.[1];
  return network === undefined ? undefined : `${network}.1`;
};

/** The address of the Docker host on the default network. */
export const bridgeGateway = async (env: NodeJS.ProcessEnv): Promise<string | undefined> =>
  gatewayOf(JSON.parse(await runTool('docker', ['network', 'inspect', 'bridge', '-f', '{{json .IPAM.Config}}'], env)));

/** The address of the Docker engine that the `docker` command uses. SAM CLI does not support contexts. */
export const engineAddress = (env: NodeJS.ProcessEnv): Promise<string> =>
  runTool('docker', ['context', 'inspect', '-f', '{{.Endpoints.docker.Host}}'], env);

/** Stops and removes the containers that have one of these folders mounted, and no others. */
export const removeContainers = async (folders: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const filters = folders.flatMap((folder) => ['--filter', `volume=${folder}`]);
  const ids = await runTool('docker', ['ps', '--all', '--quiet', ...filters], env);
  if (ids !== '') await runTool('docker', ['rm', '--force', ...ids.split('\n')], env);
};
