import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, jest } from '@jest/globals';
import { tableOutput } from '../../../core/stage/outputs.ts';
import { type TableId, tables } from '../../../core/tables.ts';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';
import { freePort, untilListening } from '../ports.ts';
import { pythonTools } from '../python-tools.ts';

const ROOT = join(import.meta.dirname, '../../..');

export const STACK = 'vehicle-verification-prod';

/**
 * Runs the program and ends its whole group, the functions that it runs included, when the program ends, or when this
 * process closes the pipe or ends in whatever way.
 */
const WATCHED = '{ "$0" </dev/null >/dev/null 2>&1; kill -9 -$$; } & cat >/dev/null; kill -9 -$$';

/**
 * Starts MiniStack (https://pypi.org/project/ministack) on a free port, reachable from this machine only. It runs
 * functions with this process's Node and leaves what it unpacks in `folder`. `programs` is the folder of its Python
 * environment.
 */
const startMinistack = async (programs: string, folder: string, checksPolicies: boolean) => {
  const port = await freePort();
  const shell = spawn('/bin/sh', ['-c', WATCHED, join(programs, 'ministack')], {
    // A group of its own, so that all of it can be ended at once.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME,
      TMPDIR: folder,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      IOT_MTLS_ENABLED: '0',
      // Policies of buckets and queues deny what comes without TLS.
      ...(checksPolicies && { AUTH: 'true', USE_SSL: '1' }),
    },
  });
  const ended = once(shell, 'close');
  const stop = async () => {
    shell.stdin.end();
    await ended;
  };
  await untilListening(port, ended);
  return {
    endpoint: `${checksPolicies ? 'https' : 'http'}://127.0.0.1:${port}`,
    certificate: join(folder, 'ministack-tls', 'server.crt'),
    stop,
  };
};

/**
 * An AWS emulator with a bootstrapped account for the tests of a file, and an operator's shell whose AWS it is.
 * With `checksPolicies` it denies what no policy permits.
 */
export const useEmulator = ({ checksPolicies = false } = {}) => {
  // Several deployments on a busy machine: this only ends one that hangs.
  jest.setTimeout(900_000);
  let emulator: Awaited<ReturnType<typeof startMinistack>>;
  const env: NodeJS.ProcessEnv = {};
  afterAll(() => emulator?.stop());
  const inFolder = useFolder();

  const cdk = (command: string, ...args: string[]): Promise<string> =>
    runCommand(join(ROOT, 'node_modules/.bin/cdk'), [command, '--no-notices', ...args], { env });
  const aws = (...args: string[]): Promise<string> => runCommand('aws', args, { env });
  const query = async (expression: string, ...args: string[]) =>
    JSON.parse(await aws(...args, '--query', expression, '--output', 'json'));

  const stack = (name: string) => {
    const describe = (expression: string) =>
      query(`Stacks[?StackName=='${name}'] | [0].${expression}`, 'cloudformation', 'describe-stacks');
    const output = async (key: string): Promise<string> => {
      const value = await describe(`Outputs[?OutputKey=='${key}'].OutputValue | [0]`);
      if (value === null) throw new Error(`the stack ${name} has no output ${key}`);
      return value;
    };
    const tableName = (id: TableId): Promise<string> => output(tableOutput(id));
    return {
      /** Null when the stack does not exist. */
      status: (): Promise<string | null> => describe('StackStatus'),
      isProtected: (): Promise<boolean> => describe('EnableTerminationProtection'),
      /** `host:port` of the API, by which the emulator knows it. */
      apiHost: async (): Promise<string> => new URL(await output('BaseAddress')).host,
      output,
      tableName,
      tableNames: async (): Promise<readonly string[]> =>
        (await Promise.all((Object.keys(tables) as TableId[]).map(tableName))).sort(),
    };
  };

  beforeAll(async () => {
    const programs = await pythonTools('ministack', 'ministack==1.5.33', 'cryptography==50.0.2', 'awscli==1.46.3');
    emulator = await startMinistack(programs, inFolder(), checksPolicies);
    const { endpoint, certificate } = emulator;
    Object.assign(env, {
      PATH: [programs, dirname(process.execPath), process.env.PATH].join(':'),
      HOME: process.env.HOME,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'eu-west-2',
      AWS_DEFAULT_REGION: 'eu-west-2',
      // What the CDK remembers of accounts.
      CDK_HOME: inFolder('cdk-home'),
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      CDK_APP: `${process.execPath} ${join(import.meta.dirname, 'emulated-app.ts')}`,
      CI: 'true',
      ...(checksPolicies && { AWS_CA_BUNDLE: certificate, NODE_EXTRA_CA_CERTS: certificate }),
    });
    await cdk('bootstrap', '-c', 'stage=prod', '--output', inFolder('prod'));
  });

  return {
    inFolder,
    env,
    endpoint: () => emulator.endpoint,

    aws,

    /** What `aws … --query` finds. */
    query,

    stack,

    /** The real cdk command. Its app is the project's, or with `--app FOLDER` what an earlier `synth` wrote there. */
    cdk,

    /** Deploys prod with its committed settings, except for these, from the folder `prod`. */
    deployProd: async (changes: object = {}): Promise<void> => {
      const settings = JSON.parse(await readFile(join(ROOT, 'stages/prod.json'), 'utf8'));
      await writeFile(inFolder('prod.json'), JSON.stringify({ ...settings, ...changes }));
      const context = ['-c', 'stage=prod', '-c', `stages=${inFolder()}`, '--output', inFolder('prod')];
      await cdk('deploy', ...context, '--require-approval', 'never');
    },

    /**
     * Runs a deployed build here, because the emulator has no containers. Returns its output.
     * @param folder of the CDK's output, which has the program
     * @param role the environment of the build
     */
    runBuild: async (project: string, folder: string, role: NodeJS.ProcessEnv): Promise<string> => {
      const source = await query('projects[0].source', 'codebuild', 'batch-get-projects', '--names', project);
      const { commands } = JSON.parse(source.buildspec).phases.build;
      const cwd = join(inFolder(folder), `asset.${/(\w+)\.zip$/.exec(source.location)?.[1]}`);
      return runCommand('/bin/sh', ['-c', commands.join(' && ')], { env: role, cwd });
    },
  };
};
