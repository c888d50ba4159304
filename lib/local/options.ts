import { parseArgs } from 'node:util';
import { VERSION } from '../version.ts';
import { isHostName } from './allowed-host.ts';
import { settingsFromEnvironment } from './environment.ts';

/** The options of the service on this machine. */
export interface LocalOptions {
  readonly port: number;
  readonly dynamodbPort: number;
  /** Further host names that requests may use, in lower case. */
  readonly allowedHosts?: readonly string[];
  /** Keeps the data across restarts. If absent, the data is in memory. */
  readonly dataDirectory?: string;
  /** Another DynamoDB to use instead of the embedded one. */
  readonly dynamodbEndpoint?: string;
  /** The time in Unix milliseconds, of requests and of the sample data. If absent, the time of this machine. */
  readonly clock?: () => number;
}

/** The service cannot start with these options. The message is one sentence for the person who gave them. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** Converts the listen error of a server into a message that names the variable of its port. @throws CannotStart, or the error itself */
export const explainListenError =
  (variable: string, port: number) =>
  (error: unknown): never => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new CannotStart(
        `Port ${port} is taken; set ${variable} to another one, for example ${variable}=${port + 1} before the command.`,
      );
    if (code === 'EACCES') throw new CannotStart(`Port ${port} is reserved; set ${variable} to another one.`);
    throw error;
  };

const USAGE = `Usage: npm start [-- OPTIONS]
  --data DIR           keep data and demo keys in DIR, a new or an empty folder (default: in memory)
  --dynamodb ENDPOINT  use this DynamoDB instead of the embedded one
  --help               this text
  --version            the version of this service
Environment: PORT (default 3000), DYNAMODB_PORT (default 8000),
  ALLOWED_HOSTS (further host names that requests may use, separated by commas)`;

const DEFAULT_PORT = 3_000;
export const DEFAULT_DYNAMODB_PORT = 8_000;
const MAX_PORT = 65_535;

const portFrom = (name: string, value: string | undefined, fallback: number): number => {
  if (value === undefined || value === '') return fallback;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= MAX_PORT) return port;
  throw new CannotStart(`${name} must be a port number from 0 to ${MAX_PORT}, not "${value}".`);
};

const hostsFrom = (value: string): string[] => {
  const hosts = value.split(',').map((host) => host.trim().toLowerCase());
  const wrong = hosts.find((host) => host !== '' && !isHostName(host));
  if (wrong === undefined) return hosts.filter((host) => host !== '');
  throw new CannotStart(`ALLOWED_HOSTS must be host names without a port, separated by commas; "${wrong}" is not one.`);
};

const endpointFrom = (value: string): string => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new CannotStart(`--dynamodb must be an address like http://127.0.0.1:8000, not "${value}".`);
  }
  return value;
};

const OPTIONS = {
  data: { type: 'string' },
  dynamodb: { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new CannotStart(`${(error as Error).message.split('. ')[0]}.\n${USAGE}`);
  }
};

/** The options from the command line and the environment; for `--help` and `--version` the text to print. @throws CannotStart */
export const readOptions = (args: string[]): LocalOptions | string => {
  const { data, dynamodb, help, version } = parse(args);
  if (help) return USAGE;
  if (version) return VERSION;
  if (data !== undefined && dynamodb !== undefined) {
    throw new CannotStart('--data is for the embedded DynamoDB and --dynamodb names another one: give one of them.');
  }
  if (data === '') throw new CannotStart('--data needs the name of a folder.');
  const { port, dynamodbPort, allowedHosts = '' } = settingsFromEnvironment();
  return {
    port: portFrom('PORT', port, DEFAULT_PORT),
    dynamodbPort: portFrom('DYNAMODB_PORT', dynamodbPort, DEFAULT_DYNAMODB_PORT),
    allowedHosts: hostsFrom(allowedHosts),
    ...(data === undefined ? {} : { dataDirectory: data }),
    ...(dynamodb === undefined ? {} : { dynamodbEndpoint: endpointFrom(dynamodb) }),
  };
};
