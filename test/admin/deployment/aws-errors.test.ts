import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TABLE_IDS } from '../../../lib/admin/deployment/table-names.ts';
import { tableOutput } from '../../../lib/cloud/outputs.ts';
import { failure, runCommand } from '../command-line.ts';
import { vehicleRow, vehiclesCsv } from '../import-files.ts';
import { type AwsServer, startAwsServer } from './aws-server.ts';

const NAMES = { keys: 'k', usage: 'u', vehicles: 'v', compliance: 'c', content: 'n' };

/** Parts of every secret of these tests. */
const SECRET = 'canary';

const CONFIG = `
[profile ops]
region = eu-west-2
aws_access_key_id = AKIA${SECRET}
aws_secret_access_key = ${SECRET}-secret
aws_session_token = ${SECRET}-token
[profile sso]
sso_session = work
sso_account_id = 123456789012
sso_role_name = Operator
[sso-session work]
sso_region = eu-west-2
sso_start_url = https://work.example/start
[profile old-sso]
sso_region = eu-west-2
sso_start_url = https://work.example/start
sso_account_id = 123456789012
sso_role_name = Operator
[profile login]
login_session = arn:aws:sts::123456789012:assumed-role/Operator/ann
[profile mfa]
role_arn = arn:aws:iam::123456789012:role/Operator
source_profile = ops
mfa_serial = arn:aws:iam::123456789012:mfa/ann
[profile empty]
`;

const EXPIRED_TOKEN = { accessToken: `${SECRET}-token`, expiresAt: '2020-01-01T00:00:00Z', region: 'eu-west-2' };

let folder: string;
let server: AwsServer;

beforeAll(async () => {
  server = await startAwsServer();
  server.stacks.there = Object.fromEntries(TABLE_IDS.map((id) => [tableOutput(id), id]));
  folder = await mkdtemp(join(tmpdir(), 'aws-'));
  await writeFile(join(folder, 'config'), CONFIG);
  await writeFile(join(folder, 'credentials'), '');
  const cache = join(folder, '.aws/sso/cache');
  await mkdir(cache, { recursive: true });
  for (const session of ['work', 'https://work.example/start']) {
    const name = createHash('sha1').update(session).digest('hex');
    await writeFile(join(cache, `${name}.json`), JSON.stringify(EXPIRED_TOKEN));
  }
});
beforeEach(() => {
  server.failWith(undefined);
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) delete process.env[name];
  Object.assign(process.env, {
    HOME: folder,
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL: server.endpoint,
  });
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const KEYS = {
  AWS_ACCESS_KEY_ID: `AKIA${SECRET}`,
  AWS_SECRET_ACCESS_KEY: `${SECRET}-secret`,
  AWS_SESSION_TOKEN: `${SECRET}-token`,
};

/** Runs the CLI; whatever happens, it prints no secret and no stack trace, and with --json the same as an object. */
const run = async (args: readonly string[]) => {
  const all = [...args, '--region', 'eu-west-2'];
  const result = await runCommand(all, NAMES);
  expect(result.stderr).toMatch(/^error: [^\n]+\n$/);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  const { stderr } = await runCommand([...all, '--json'], NAMES);
  const sentence = result.stderr.slice('error: '.length, -1);
  expect(JSON.parse(stderr)).toEqual({ error: sentence, exitCode: 2 });
  return result;
};

const USER = 'User: arn:aws:sts::123456789012:assumed-role/Reader/ann@work.example';

/** Each by the names that CloudFormation and DynamoDB give it. */
const REJECTIONS: readonly [string, string, string, string][] = [
  ['ExpiredToken', 'ExpiredTokenException', 'The security token included in the request is expired', 'have expired'],
  [
    'InvalidClientTokenId',
    'UnrecognizedClientException',
    `The security token ${SECRET} included in the request is invalid.`,
    'AWS does not recognise the credentials',
  ],
  [
    'SignatureDoesNotMatch',
    'InvalidSignatureException',
    `The request signature we calculated does not match the signature you provided: ${SECRET}`,
    'AWS rejected the signature',
  ],
  [
    'RequestExpired',
    'RequestExpired',
    `Request has expired ${SECRET}`,
    'AWS rejected the request (RequestExpired): set the clock of this machine',
  ],
];

describe('Credentials that AWS rejects', () => {
  it.each(REJECTIONS)('are reported with a remedy: %s, %s', async (cloudFormation, dynamoDb, message, sentence) => {
    Object.assign(process.env, KEYS);
    server.failWith({ status: 403, code: cloudFormation, message });
    expect(await run(['keys', 'list', '--stack', 'rejected'])).toEqual(failure(sentence));
    server.failWith({ status: 400, code: dynamoDb, message });
    expect(await run(['keys', 'list', '--stack', 'there'])).toEqual(failure(sentence));
    expect(await run(['keys', 'list', '--tables', 'keys=k'])).toEqual(failure(sentence));
  });

  it('name the login of the profile that is in use, by option or environment', async () => {
    server.failWith({ status: 400, code: 'ExpiredToken', message: 'The security token is expired' });
    const sentence = 'have expired (ExpiredToken): log in again with "aws sso login --profile ops"\n';
    expect(await run(['keys', 'list', '--stack', 'x', '--profile', 'ops'])).toEqual(failure(sentence));
    expect(await run(['keys', 'list', '--stack', 'there', '--profile', 'ops'])).toEqual(failure(sentence));
    Object.assign(process.env, KEYS);
    expect(await run(['keys', 'list', '--stack', 'x'])).toEqual(
      failure('have expired (ExpiredToken): log in again, or set new credentials\n'),
    );
  });

  it('are reported by an import as well', async () => {
    Object.assign(process.env, KEYS);
    const file = join(folder, 'v.csv');
    await writeFile(file, vehiclesCsv(vehicleRow()));
    server.failWith({ status: 400, code: 'ExpiredTokenException', message: 'expired' });
    expect(await run(['import', 'vehicles', file, '--stack', 'there'])).toEqual(
      failure('the AWS credentials have expired (ExpiredTokenException): log in again'),
    );
  });
});

describe('Credentials that this machine does not have', () => {
  it.each([
    ['sso', 'the SSO session has expired: log in again with "aws sso login --profile sso"'],
    ['old-sso', 'the SSO session has expired: log in again with "aws sso login --profile old-sso"'],
    ['login', 'there is no AWS session: log in again with "aws login --profile login"'],
    ['mfa', 'the profile mfa asks for an MFA code: set the credentials that "aws configure export-credentials'],
    ['empty', 'the profile empty has no credentials or does not exist: look at "aws configure list --profile empty"'],
    ['missing', 'the profile missing has no credentials or does not exist'],
  ])('are reported with a remedy: the profile %s', async (profile, sentence) => {
    expect(await run(['keys', 'list', '--stack', 'there', '--profile', profile])).toEqual(failure(sentence));
    expect(await run(['keys', 'list', '--tables', 'keys=k', '--profile', profile])).toEqual(failure(sentence));
  });

  it('are asked for when there are none at all', async () => {
    const sentence = 'no AWS credentials were found: log in, or name a profile with --profile\n';
    expect(await run(['keys', 'list', '--stack', 'there'])).toEqual(failure(sentence));
  });
});

describe('Access that AWS denies', () => {
  beforeEach(() => void Object.assign(process.env, KEYS));

  it('is reported with user, action, resource and reason as AWS writes them, and nothing else', async () => {
    const stack = `${USER} is not authorized to perform: cloudformation:DescribeStacks on resource: arn:aws:cloudformation:eu-west-2:123456789012:stack/x/*`;
    server.failWith({ status: 403, code: 'AccessDenied', message: stack });
    expect(await run(['keys', 'list', '--stack', 'x'])).toEqual(
      failure(`AWS denied access (AccessDenied): ${stack}\n`),
    );

    const table = `${USER} is not authorized to perform: dynamodb:Scan on resource: arn:aws:dynamodb:eu-west-2:123456789012:table/keys because no identity-based policy allows the dynamodb:Scan action`;
    server.failWith({ status: 400, code: 'AccessDeniedException', message: `${table}; ${SECRET}` });
    expect(await run(['keys', 'list', '--stack', 'there'])).toEqual(
      failure(`AWS denied access (AccessDeniedException): ${table}\n`),
    );

    const denied = `${USER} is not authorized to perform: dynamodb:Scan with an explicit deny in a service control policy`;
    server.failWith({ status: 400, code: 'AccessDeniedException', message: denied });
    expect(await run(['keys', 'list', '--stack', 'there'])).toEqual(failure(`${denied}\n`));
  });

  it('is reported without a reason where AWS gives none in this form', async () => {
    server.failWith({ status: 400, code: 'AccessDeniedException', message: `${SECRET} key` });
    expect(await run(['keys', 'list', '--stack', 'there'])).toEqual(
      failure('AWS denied access (AccessDeniedException): it does not say why\n'),
    );
  });
});

describe('A host of AWS that cannot be reached', () => {
  beforeEach(() => void Object.assign(process.env, KEYS));

  /** The CLI as a process: errors of Node are no instances of the Error that a test has, so that the SDK hides them there. */
  const admin = (...args: string[]) =>
    new Promise<string>((resolve) => {
      const command = ['bin/admin.ts', ...args, '--stack', 'there', '--region', 'eu-west-2'];
      execFile(process.execPath, command, { env: process.env }, (_error, _stdout, stderr) => resolve(stderr));
    });

  it('is named when it refuses connections', async () => {
    const sentence = 'error: 127.0.0.1:9 cannot be reached (ECONNREFUSED): check the network and the region\n';
    process.env.AWS_ENDPOINT_URL_CLOUDFORMATION = 'http://127.0.0.1:9';
    expect(await admin('keys', 'list')).toBe(sentence);
    process.env.AWS_ENDPOINT_URL_CLOUDFORMATION = server.endpoint;
    process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:9';
    expect(await admin('keys', 'list')).toBe(sentence);
  });

  it('is named when it has no address', async () => {
    process.env.AWS_ENDPOINT_URL_CLOUDFORMATION = 'http://cloudformation.eu-west-9.invalid';
    expect(await run(['keys', 'list', '--stack', 'there'])).toEqual(
      failure(/error: cloudformation\.eu-west-9\.invalid cannot be reached \((ENOTFOUND|EAI_AGAIN)\)/),
    );
  });
});

describe('What is not there', () => {
  beforeEach(() => void Object.assign(process.env, KEYS));

  it('is reported with the region and where its name comes from: a stack', async () => {
    expect(await run(['keys', 'list', '--stack', 'x'])).toEqual(
      failure('there is no stack x in eu-west-2 (from --region): check its name, the region and the account\n'),
    );
  });

  it('is reported with the region: a table', async () => {
    expect(await run(['keys', 'list', '--tables', 'keys=k'])).toEqual(
      failure('a table is missing in AWS in eu-west-2: look at the region and at the names of the tables\n'),
    );
  });
});
