import { type Engine, startEmbeddedEngine } from '../engine/embedded.ts';
import { CannotStart } from '../options.ts';

/** The name by which containers call the machine of their engine; `--add-host` makes it known on Linux too. */
export const HOST_NAME = 'host.docker.internal';

const LOOPBACK = '127.0.0.1';

const startOn = async (host: string, port: number, allowedHosts: readonly string[]): Promise<Engine | undefined> => {
  try {
    return await startEmbeddedEngine({ port, host, allowedHosts });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL') return undefined;
    if (code === 'EADDRINUSE') throw new CannotStart(`Port ${port} is taken; set DYNAMODB_PORT to another one.`);
    throw error;
  }
};

/**
 * The embedded DynamoDB where containers reach it and the network outside does not. On Linux that is the gateway of the
 * bridge. Docker Desktop keeps the bridge inside its own machine and passes on to this one's loopback.
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
