import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TableId } from '../../../core/tables.ts';
import { awsErrorSentence } from '../../../lib/admin/deployment/aws-errors.ts';
import { tableOutput } from '../../../lib/cloud/outputs.ts';
import { ended, failure, runCommand } from '../command-line.ts';
import { type AwsServer, startAwsServer } from './aws-server.ts';

const NAMES = { keys: 'k', usage: 'u', vehicles: 'v', compliance: 'c', content: 'n' };

/** Text that every secret of these tests contains. */
const SECRET = 'canary';

const CONFIG = `
[profile ops]
region = eu-west-2
aws_access_key_id = AKIA${SECRET}
aws_secret_access_key = ${SECRET}-secret
aws_session_token = ${SECRET}-token
[profile empty]
`;

let folder: string;
let server: AwsServer;

beforeAll(async () => {
  server = await startAwsServer();
  server.stacks.there = Object.fromEntries(Object.keys(NAMES).map((id) => [tableOutput(id as TableId), id]));
  folder = await mkdtemp(join(tmpdir(), 'aws-'));
  await writeFile(join(folder, 'config'), CONFIG);
  await writeFile(join(folder, 'credentials'), '');
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

/** Runs the CLI. Checks that it prints no secret and no stack trace, and that --json prints the same error as an object. */
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

/** A message that contains a user, an account and a table. */
const DENIED = `User: arn:aws:sts::123456789012:assumed-role/${SECRET} is not authorized to perform: dynamodb:Scan on resource: arn:aws:dynamodb:eu-west-2:123456789012:table/${SECRET}`;
const EXPIRED = 'the AWS credentials have expired (NAME): log in again with "aws sso login --profile ops", or set new';
const UNKNOWN =
  'AWS does not recognise the credentials (NAME), which may have expired, or the region is not enabled: log';
const SIGNATURE = 'AWS rejected the signature (NAME): the secret access key is not that of the access key id';
const LOGIN = 'there is no AWS session, or it has expired: log in with "aws login"';
const SSO = 'there is no SSO session, or it has expired: log in with "aws sso login"';
const CLOCK = 'AWS rejected the request (NAME): set the clock of this machine';
const POLICY = '(NAME): use credentials with the policy in the output OperatorPolicy of the stack';
const NETWORK = 'cannot be reached (NAME): check the network and the region';

describe('An error of AWS', () => {
  it.each([
    ['ExpiredToken ExpiredTokenException TokenRefreshRequired', SECRET, EXPIRED],
    ['InvalidClientTokenId UnrecognizedClientException', SECRET, UNKNOWN],
    ['SignatureDoesNotMatch InvalidSignatureException IncompleteSignature', SECRET, SIGNATURE],
    ['SignatureDoesNotMatch InvalidSignatureException', 'Signature expired: 2020', CLOCK],
    ['RequestExpired RequestTimeTooSkewed', SECRET, CLOCK],
    ['AccessDenied AccessDeniedException UnauthorizedOperation', DENIED, `AWS denied dynamodb:Scan ${POLICY}`],
    ['AccessDenied AccessDeniedException NotAuthorized', SECRET, `AWS denied access ${POLICY}`],
    ['ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:443', `10.0.0.1:443 ${NETWORK}`],
    ['ECONNRESET EPIPE TimeoutError', SECRET, `AWS ${NETWORK}`],
  ])('is reported as a problem and a remedy, without its own message: %s, %s', (names, message, sentence) => {
    for (const name of names.split(' ')) {
      const error = Object.assign(new Error(message), { name });
      const described = awsErrorSentence(error, 'ops');
      expect(described).toContain(sentence.replace('NAME', name));
      expect(described).not.toContain(SECRET);
    }
  });

  it.each([
    ['ENOTFOUND sso.invalid', 'CredentialsProviderError', `sso.invalid ${NETWORK.replace('NAME', 'ENOTFOUND')}`],
    ['To refresh this SSO session run aws sso login', 'CredentialsProviderError', SSO],
    ['Failed to load token: re-authenticate with aws login', 'CredentialsProviderError', LOGIN],
    [
      'Profile mfa requires multi-factor authentication',
      'CredentialsProviderError',
      expect.stringContaining('MFA code'),
    ],
    ['ECONNREFUSED host', 'ValidationException', undefined],
    ['ECONNREFUSED host', 'ProvisionedThroughputExceededException', undefined],
    ['ECONNREFUSED host', 'TypeError', undefined],
  ])(
    'names the host of a credential provider, and is not described when an operator cannot fix it: %s, %s',
    (message, name, sentence) => {
      expect(awsErrorSentence(Object.assign(new Error(message), { name }), undefined)).toEqual(sentence);
    },
  );

  it.each([
    ['--stack', 'x'],
    ['--stack', 'there'],
    ['--tables', 'keys=k'],
  ])('is reported with the login of the profile in use, for a stack and for tables: %s %s', async (...place) => {
    server.failWith({ status: 400, code: 'ExpiredTokenException', message: `The token ${SECRET} is expired` });
    const sentence = EXPIRED.replace('NAME', 'ExpiredTokenException');
    expect(await run(['keys', 'list', ...place, '--profile', 'ops'])).toEqual(failure(sentence));
    Object.assign(process.env, KEYS);
    expect(await run(['keys', 'list', ...place])).toEqual(failure('log in again with "aws sso login", or set'));
  });

  it('is reported by its name only when it is unknown', async () => {
    Object.assign(process.env, KEYS);
    server.failWith({ status: 400, code: 'OtherException', message: SECRET });
    expect(await run(['keys', 'list', '--stack', 'x'])).toEqual(failure('could not be read (OtherException)\n'));
    expect(await run(['keys', 'list', '--stack', 'there'])).toEqual(failure('answered with OtherException\n'));
  });
});

it('Missing credentials are reported with how to log in, and how to see what a profile has', async () => {
  for (const place of [
    ['--stack', 'there'],
    ['--tables', 'keys=k'],
  ]) {
    const shown = '"aws configure list --profile empty" shows what there is\n';
    expect(await run(['keys', 'list', ...place, '--profile', 'empty'])).toEqual(failure(shown));
    const sentence = 'no AWS credentials were found: log in, or name a profile that has some with --profile; "aws conf';
    expect(await run(['keys', 'list', ...place])).toEqual(failure(sentence));
  }
});

/** The CLI as a process: in Jest, Node's errors are not instances of the global `Error`, so that the SDK hides them. */
it.each([
  ['CLOUDFORMATION', 'http://127.0.0.1:9', /^error: 127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\): /],
  ['DYNAMODB', 'http://cf.invalid', /^error: cf\.invalid cannot be reached \((ENOTFOUND|EAI_AGAIN)\): /],
])('A host of AWS that cannot be reached is named: %s at %s', async (service, endpoint, sentence) => {
  const env = { ...process.env, ...KEYS, [`AWS_ENDPOINT_URL_${service}`]: endpoint };
  const command = ['bin/admin.ts', 'keys', 'list', '--stack', 'there', '--region', 'eu-west-2'];
  expect((await ended(spawn(process.execPath, command, { env }))).stderr).toMatch(sentence);
});

it.each([
  [['--stack', 'x'], 'there is no stack x in eu-west-2 (from --region): check its name, the region and the account\n'],
  [['--tables', 'keys=k'], 'a table is missing in AWS in eu-west-2: check the region and the table names\n'],
])('A missing resource is reported with the region: %j', async (place, sentence) => {
  Object.assign(process.env, KEYS);
  expect(await run(['keys', 'list', ...place])).toEqual(failure(sentence));
});
