import { isIPv4 } from 'node:net';
import { parseArgs } from 'node:util';
import { checksFrom } from '../core/checks.ts';
import { readPlans } from '../core/stage/plans-schema.ts';
import packageJson from '../package.json' with { type: 'json' };

export interface LocalOptions {
  readonly port: number;
  readonly dynamodbPort: number;
  /** IPv4 address of this machine at which the embedded engine listens. Default: only this machine reaches it. */
  readonly dynamodbHost?: string | undefined;
  /** Further host names that requests may use, in lower case. */
  readonly allowedHosts?: readonly string[];
  /** Keeps the data across restarts. If absent, the data is in memory. */
  readonly dataDirectory?: string | undefined;
  /** The file to which the lines of the functions' log are added, with lookups. */
  readonly logFile?: string | undefined;
  /** Unix milliseconds of requests and sample data. Default: the time of this machine. */
  readonly clock?: () => number;
}

/** The message is one sentence for whoever starts the service. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** Names the variable of the port in the error of a server. @throws CannotStart, or any other error itself */
export const explainListenError =
  (variable: string, port: number) =>
  (error: unknown): never => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES')
      throw new CannotStart(
        `Port ${port} is taken or reserved; set ${variable} to another one, for example ${variable}=${port + 1} before the command.`,
      );
    if (code === 'EADDRNOTAVAIL') throw new CannotStart('--dynamodb-host must be an address of this machine.');
    throw error;
  };

const USAGE = `Usage: npm start [-- OPTIONS]
  --data DIR           keep data and demo keys in DIR, a new or an empty folder (default: in memory)
  --log FILE           add the log lines of the functions to FILE, as on AWS with "lookupLog":
                       npm run admin -- lookups REGISTRATION --log FILE searches them
  --dynamodb-host ADDRESS
                       let the database listen at this address of this machine, where containers reach it
                       as host.docker.internal (docs/testing.md)
  --help               this text
  --version            the version of this service
Environment: PORT (default 3000), DYNAMODB_PORT (default 8000),
  ALLOWED_HOSTS (further host names that requests may use, separated by commas),
  PLANS (the plans as JSON, as in the settings of a stage; npm run admin needs it too),
  CHECKS (the checks that count for a compliance verdict, separated by commas; npm run admin needs it too)`;

export const DEFAULT_DYNAMODB_PORT = 8_000;
const MAX_PORT = 65_535;

const portFrom = (name: string, fallback: number): number => {
  const value = process.env[name] ?? '';
  if (value === '') return fallback;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= MAX_PORT) return port;
  throw new CannotStart(`${name} must be a port number from 0 to ${MAX_PORT}, not "${value}".`);
};

/** The functions read these variables themselves. @throws CannotStart */
const checkVariables = (): void => {
  try {
    readPlans(process.env.PLANS);
    checksFrom(process.env.CHECKS || undefined);
  } catch (error) {
    throw new CannotStart(`${(error as Error).message}.`);
  }
};

const parse = (args: string[]) => {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  try {
    const options = { data: text, log: text, 'dynamodb-host': text, help: flag, version: flag };
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CannotStart(`${(error as Error).message.split('. ')[0]}.\n${USAGE}`);
  }
};

/** The options from arguments and environment; for `--help` and `--version` the text to print. @throws CannotStart */
export const readOptions = (args: string[]): LocalOptions | string => {
  const { data, log, 'dynamodb-host': host, help, version } = parse(args);
  if (help) return USAGE;
  if (version) return packageJson.version;
  if (host !== undefined && !isIPv4(host)) {
    throw new CannotStart(`--dynamodb-host must be an IPv4 address like 172.17.0.1, not "${host}".`);
  }
  if (data === '') throw new CannotStart('--data needs the name of a folder.');
  if (log === '') throw new CannotStart('--log needs the name of a file.');
  checkVariables();
  const allowedHosts = (process.env.ALLOWED_HOSTS ?? '').split(',').map((name) => name.trim().toLowerCase());
  return {
    port: portFrom('PORT', 3_000),
    dynamodbPort: portFrom('DYNAMODB_PORT', DEFAULT_DYNAMODB_PORT),
    allowedHosts: allowedHosts.filter(Boolean),
    dynamodbHost: host,
    dataDirectory: data,
    logFile: log,
  };
};
