import { type Engine, startEmbeddedEngine } from '../engine/embedded.ts';
import { explainListenError } from '../options.ts';

/** The name of the Docker host in containers. On Linux `--add-host` defines it. */
export const HOST_NAME = 'host.docker.internal';

const LOOPBACK = '127.0.0.1';

const startOn = async (host: string, port: number, allowedHosts: readonly string[]): Promise<Engine | undefined> => {
  try {
    return await startEmbeddedEngine({ port, host, allowedHosts });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return undefined;
    return explainListenError('DYNAMODB_PORT', port)(error);
  }
};

/**
 * Starts the embedded DynamoDB where containers reach it and other machines do not: on Linux at the gateway of the bridge, with
 * Docker Desktop, whose bridge is inside a virtual machine, on the loopback interface.
 * @throws CannotStart when the port is taken
 */
export const startReachableEngine = async (
  gateway: string | undefined,
  port: number,
  allowedHosts: readonly string[] = [],
): Promise<Engine> => {
  const hosts = [HOST_NAME, ...allowedHosts];
  const onBridge = gateway === undefined ? undefined : await startOn(gateway, port, hosts);
  const engine = onBridge ?? (await startOn(LOOPBACK, port, hosts));
  if (engine === undefined) throw new Error('no loopback interface');
  return engine;
};
