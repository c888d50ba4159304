import { runTool } from './run-tool.ts';

interface Subnet {
  readonly Subnet?: string;
  readonly Gateway?: string;
}

const FIRST_HOST = /^(\d+\.\d+\.\d+)\.0\//;

/**
 * The address of the engine's machine on the network of its containers. A bridge that has carried no container yet may
 * not tell it; then it is the first of the subnet, as the engine gives itself.
 */
export const gatewayOf = ([first]: readonly Subnet[]): string | undefined => {
  if (first?.Gateway) return first.Gateway;
  const network = FIRST_HOST.exec(first?.Subnet ?? '')?.[1];
  return network === undefined ? undefined : `${network}.1`;
};

/** Where the containers of the default network find the machine that their engine runs on. */
export const bridgeGateway = async (env: NodeJS.ProcessEnv): Promise<string | undefined> =>
  gatewayOf(JSON.parse(await runTool('docker', ['network', 'inspect', 'bridge', '-f', '{{json .IPAM.Config}}'], env)));

/** The engine that the `docker` command speaks to. SAM CLI knows nothing of contexts, only of this address. */
export const engineAddress = (env: NodeJS.ProcessEnv): Promise<string> =>
  runTool('docker', ['context', 'inspect', '-f', '{{.Endpoints.docker.Host}}'], env);

/** Ends and removes every container that has one of these folders mounted, and no other. */
export const removeContainers = async (folders: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const filters = folders.flatMap((folder) => ['--filter', `volume=${folder}`]);
  const ids = await runTool('docker', ['ps', '--all', '--quiet', ...filters], env);
  if (ids !== '') await runTool('docker', ['rm', '--force', ...ids.split('\n')], env);
};
