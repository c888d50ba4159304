import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { awsErrorSentence } from '../../../../admin/deployment/aws-errors.ts';
import { outcomeOf } from '../../../support/program.ts';
import { failure, runAdminCommand } from '../../../support/use-admin.ts';
import { tableOutputs, useAwsServer } from '../../../support/use-aws-server.ts';
import { useFolder } from '../../../support/use-folder.ts';

const NAMES = { keys: 'k', usage: 'u', vehicles: 'v', compliance: 'c', content: 'n' };
const PROD = 'vehicle-verification-prod';
/** Text that every secret of these tests contains. */
const SECRET = 'canary';
const KEYS = {
  AWS_ACCESS_KEY_ID: `AKIA${SECRET}`,
  AWS_SECRET_ACCESS_KEY: `${SECRET}-secret`,
  AWS_SESSION_TOKEN: `${SECRET}-token`,
};
const CREDENTIALS = Object.entries(KEYS).map(([name, value]) => `${name.toLowerCase()} = ${value}\n`);
const CONFIG = `[default]
region = eu-north-1
[profile ops]
region = eu-south-1
${CREDENTIALS.join('')}[profile empty]
output = json
`;

const inFolder = useFolder();
const server = useAwsServer();

beforeAll(async () => {
  server.stacks.there = tableOutputs(NAMES);
  for (const [name, text] of [
    ['config', CONFIG],
    ['credentials', `[default]\n${CREDENTIALS.join('')}`],
    ['prod.json', '{ "region": "eu-west-1" }'],
    ['typo.json', '{ "region": "London" }'],
    ['broken.json', '{ "region"'],
  ] as const) {
    await writeFile(inFolder(name), text);
  }
});
beforeEach(() => {
  server.failWith(undefined);
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) delete process.env[name];
  Object.assign(process.env, {
    HOME: inFolder(),
    AWS_CONFIG_FILE: inFolder('config'),
    AWS_SHARED_CREDENTIALS_FILE: inFolder('none'),
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL: server.endpoint,
  });
});

/** Lists keys, which fails. Must print no secret and no stack trace; --json prints the same error as an object. */
const list = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const options = { env, stagesFolder: inFolder() };
  const result = await runAdminCommand(['keys', 'list', ...args], NAMES, options);
  const regions = [...server.regions];
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  const json = await runAdminCommand(['keys', 'list', ...args, '--json'], NAMES, options);
  expect(JSON.parse(json.stderr)).toEqual({ error: result.stderr.trimEnd().replace('error: ', ''), exitCode: 2 });
  return { ...result, regions };
};

const IN_LONDON = ['--region', 'eu-west-2'];

/** A message that contains a user, an account and a table. */
const DENIED = `User: arn:aws:sts::123456789012:assumed-role/${SECRET} is not authorized to perform: dynamodb:Scan on resource: arn:aws:dynamodb:eu-west-2:123456789012:table/${SECRET}`;
const REJECTED = 'AWS does not accept the credentials (NAME): they may have expired, or the region is not enabled; log';
const SIGNATURE = 'AWS rejected the signature (NAME): set the clock of this machine, or use the secret access key';
const POLICY = '(NAME): use credentials with the policy in the output OperatorPolicy of the stack';
const PROVIDER = 'CredentialsProviderError';
const MISSING = 'no valid AWS credentials were found: log in with "aws sso login" or "aws login", or name a profile';
const NETWORK = 'cannot be reached (NAME): check the network and the region';

describe('An error of AWS', () => {
  it.each([
    ['ExpiredTokenException TokenRefreshRequired UnrecognizedClientException', SECRET, REJECTED],
    ['SignatureDoesNotMatch InvalidSignatureException RequestTimeTooSkewed', SECRET, SIGNATURE],
    ['AccessDenied AccessDeniedException UnauthorizedOperation', DENIED, `AWS denied dynamodb:Scan ${POLICY}`],
    ['AccessDenied AccessDeniedException NotAuthorized', SECRET, `AWS denied access ${POLICY}`],
    ['ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:443', `10.0.0.1:443 ${NETWORK}`],
    ['ECONNRESET EPIPE TimeoutError', SECRET, `AWS ${NETWORK}`],
    [PROVIDER, 'ENOTFOUND sso.invalid', `sso.invalid ${NETWORK.replace('NAME', 'ENOTFOUND')}`],
    [PROVIDER, 'run aws sso login', MISSING.replace(/" or.*/, ' --profile ops')],
    [PROVIDER, 'Profile mfa requires multi-factor authentication', 'the profile requires an MFA code'],
  ])('is reported as a problem and a remedy, without its own message: %s, %s', (names, message, sentence) => {
    for (const name of names.split(' ')) {
      const error = Object.assign(new Error(message), { name });
      const described = awsErrorSentence(error, 'ops');
      expect(described).toContain(sentence.replace('NAME', name));
      expect(described).not.toContain(SECRET);
    }
  });

  it('is not described when an operator cannot fix it', () => {
    const error = Object.assign(new Error('ECONNREFUSED host'), { name: 'ValidationException' });
    expect(awsErrorSentence(error, undefined)).toBeUndefined();
  });

  it.each([
    ['--stack', 'x'],
    ['--stack', 'there'],
    ['--tables', 'keys=k'],
  ])('is reported with how to log in, with the profile in use, for a stack and for tables: %s %s', async (...place) => {
    const args = [...place, ...IN_LONDON];
    expect(await list(args)).toMatchObject(failure(MISSING));
    const shown = '"aws configure list --profile empty" shows what there is\n';
    expect(await list([...args, '--profile', 'empty'])).toMatchObject(failure(shown));
    Object.assign(process.env, KEYS);
    server.failWith({ status: 400, code: 'ExpiredTokenException', message: `The token ${SECRET} is expired` });
    expect(await list(args)).toMatchObject(failure('log in again with "aws sso login", or set'));
  });

  it.each([
    [['--profile', 'opps'], {}, 'opps (--profile)'],
    [[], { AWS_PROFILE: 'opps' }, 'opps (AWS_PROFILE)'],
  ])(
    'does not arise from a profile that does not exist, because the profile is named before: %j %j',
    async (options, env, named) => {
      const sentence = `there is no AWS profile ${named}: "aws configure list-profiles" shows those that there are\n`;
      for (const place of ['--stack=there', '--tables=keys=k']) {
        expect(await list([place, ...IN_LONDON, ...options], env)).toEqual({ ...failure(sentence), regions: [] });
      }
    },
  );

  it('is reported by its name only when it is unknown', async () => {
    Object.assign(process.env, KEYS);
    server.failWith({ status: 400, code: 'OtherException', message: SECRET });
    const unread = 'could not be read: CloudFormation answered with OtherException\n';
    expect(await list(['--stack', 'x'])).toMatchObject(failure(unread));
    expect(await list(['--stack', 'there'])).toMatchObject(failure('answered with OtherException\n'));
  });

  const NO_HOST = { AWS_ENDPOINT_URL_DYNAMODB: 'http://cf.invalid' };
  const NO_DATABASE = 'http://127.0.0.1:9';
  // The CLI as a process: in Jest, Node's errors are not instances of the global `Error`, so that the SDK hides them.
  it.each([
    [['--stack', 'there', ...IN_LONDON], NO_HOST, 'cf.invalid', /ENOTFOUND|EAI_AGAIN/],
    [['--dynamodb', NO_DATABASE], {}, `no database answers at ${NO_DATABASE}`, /start it with "npm start"/],
  ])('names the host that cannot be reached: %j', async (args, env, host, remedy) => {
    const options = { env: { ...process.env, ...KEYS, ...env } };
    const result = await outcomeOf(spawn(process.execPath, ['bin/admin.ts', 'keys', 'list', ...args], options));
    expect(result).toMatchObject(failure(remedy));
    expect(result.stderr).toContain(`error: ${host}`);
  });
});

describe('The region of a stack', () => {
  const ENVIRONMENT = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-west-2', AWS_PROFILE: 'ops' };
  beforeEach(() => void Object.assign(process.env, { AWS_SHARED_CREDENTIALS_FILE: inFolder('credentials') }));

  it.each<[source: string, stack: string, NodeJS.ProcessEnv, region: string, ...options: string[]]>([
    ['--region', PROD, ENVIRONMENT, 'eu-west-2', ...IN_LONDON],
    ['stages/prod.json', PROD, ENVIRONMENT, 'eu-west-1'],
    ['AWS_REGION', 'x', ENVIRONMENT, 'us-east-1'],
    ['AWS_DEFAULT_REGION', 'x', { ...ENVIRONMENT, AWS_REGION: '' }, 'us-west-2'],
    ['the profile ops', 'x', { AWS_PROFILE: 'ops' }, 'eu-south-1'],
    ['the profile default', 'x', {}, 'eu-north-1'],
  ])('comes from the first of these that has one: %s', async (source, stack, env, region, ...options) => {
    const sentence = `there is no stack ${stack} in ${region} (from ${source}): check its name, the region and the account`;
    expect(await list(['--stack', stack, ...options], env)).toEqual({ ...failure(sentence), regions: [region] });
  });

  const STACKS = ['broken', 'prod', 'typo'].map((stage) => `vehicle-verification-${stage}`).join(', ');
  it.each([
    ['vehicle-verification-typo', [], '"London" (stages/typo.json) is not the name of a region, such as eu-west-2'],
    ['vehicle-verification-broken', [], 'stages/broken.json is not valid JSON'],
    ['x', ['--region', 'eu west 2'], '"eu west 2" (--region) is not the name of a region'],
    ['x', [], `name the region of the stack x with --region; the stages here have the stacks ${STACKS}\n`],
    ['vehicle-verification-dev', [], 'name the region of the stack vehicle-verification-dev with --region'],
  ])('is requested in the error when none of them has a valid one: %s %j', async (stack, options, sentence) => {
    process.env.AWS_CONFIG_FILE = inFolder('no-config');
    expect(await list(['--stack', stack, ...options])).toEqual({ ...failure(sentence), regions: [] });
  });

  it('is in the error when a table is missing', async () => {
    const sentence = 'a table is missing in AWS in eu-west-2: check the region and the table names\n';
    expect(await list(['--tables', 'keys=k', ...IN_LONDON])).toMatchObject(failure(sentence));
  });
});
