/** `npm run trial -- --profile NAME` tries the service on AWS (docs/testing.md#on-aws-itself). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { readCommandLine } from '../core/runtime/command-line.ts';
import { BASE_ADDRESS_OUTPUT, INTAKE_BUCKET_OUTPUT } from '../core/stage/outputs.ts';

const STACK = 'vehicle-verification-trial';
const REGISTRATION = 'TR14ALS';
const YEAR = new Date().getUTCFullYear();
const GOOD_FILE = `registration,make,model,year,color,policy_number,insurer,valid_from,valid_to,policy_type
${REGISTRATION},Ford,Fiesta,2019,Red,P-1,Acme Mutual,${YEAR}-01-01,${YEAR}-12-31,Comprehensive
`;
const BAD_FILE = 'This file has no columns.\n';
/** Minutes until both reports must be there. A build takes 2. */
const MAX_REPORT_MINUTES = 30;

const print = (text: string) => process.stdout.write(`${text}\n`);

const reportError = (error: unknown): void => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
};
process.on('uncaughtException', reportError);

const endWithoutChange = (message: string): never => {
  reportError(message);
  process.exit(2);
};

const USAGE = `Usage: npm run trial -- --profile NAME
Deploys the stage trial into the account of an AWS profile, tries it, and destroys it. It asks first.`;
const [option, profile, ...more] = readCommandLine(USAGE, () => true);
if (option !== '--profile' || !profile || more.length > 0) endWithoutChange(USAGE);
// Keys in the environment would take precedence over the profile.
const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _key, AWS_SESSION_TOKEN: _token, ...others } = process.env;
const { region } = JSON.parse(readFileSync('stages/trial.json', 'utf8'));
const env = { ...others, AWS_PROFILE: profile, AWS_REGION: region, AWS_DEFAULT_REGION: region, AWS_PAGER: '' };

/** Runs a command whose output is shown. The functions throw when their command fails. */
const show = (command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): void => {
  execFileSync(command, args, { env: { ...env, ...variables }, stdio: ['ignore', 'inherit', 'inherit'] });
};
/** Runs a command and returns its standard output. */
const read = (command: string, args: readonly string[], input = ''): string =>
  execFileSync(command, args, { env, input, encoding: 'utf8', stdio: 'pipe' }).trim();
const aws = (...args: string[]): string => read('aws', [...args, '--output', 'text']);
/** The result of `--query` as a list. */
const list = (...args: string[]): string[] => aws(...args).match(/\S+/g) ?? [];
const cdk = (command: string, ...args: string[]): void => show('npx', ['cdk', command, '-c', 'stage=trial', ...args]);

/** Resources of a type in the stack, also in one that was rolled back or half deleted. */
const findResources = (type: string): string[] => {
  const isStack = `StackName=='${STACK}' && StackStatus!='DELETE_COMPLETE'`;
  if (aws('cloudformation', 'list-stacks', '--query', `StackSummaries[?${isStack}].StackName`) === '') return [];
  const isFound = `ResourceType=='AWS::${type}' && ResourceStatus!='DELETE_COMPLETE'`;
  const query = `StackResourceSummaries[?${isFound}].PhysicalResourceId`;
  return list('cloudformation', 'list-stack-resources', '--stack-name', STACK, '--query', query);
};

/** Destroys the stage in whatever state it is. What the stack retains, and what would block it, goes first. */
const destroy = (): void => {
  for (const bucket of findResources('S3::Bucket')) {
    const objects = '{Objects: [Versions, DeleteMarkers][][].{Key: Key, VersionId: VersionId}}';
    const options = ['--bucket', bucket, '--query', objects, '--output', 'json'];
    const versions = read('aws', ['s3api', 'list-object-versions', ...options]);
    if (versions.includes('VersionId')) aws('s3api', 'delete-objects', '--bucket', bucket, '--delete', versions);
  }
  cdk('destroy', '--force');
};

const tryStage = async (): Promise<void> => {
  print('\n1. Deploy the stage');
  cdk('deploy', '--require-approval', 'never');
  const address = new URL(read('.ci/stack-output', [STACK, BASE_ADDRESS_OUTPUT]));
  const bucket = read('.ci/stack-output', [STACK, INTAKE_BUCKET_OUTPUT]);
  // An emulator finds the API by the host.
  const origin = process.env.AWS_ENDPOINT_URL ?? address.origin;
  const get = (path: string, key: string): string => {
    const headers = `Host: ${address.host}\nX-API-Key: ${key}\n`;
    return read('curl', ['--silent', '--show-error', '--fail', '--header', '@-', origin + path], headers);
  };

  print('\n2. Create a live and a test key');
  const options = ['--name', 'Trial', '--plan', 'free', '--stack', STACK, '--json'];
  const createKey = (environment: string): string =>
    JSON.parse(read(process.execPath, ['bin/admin.ts', 'keys', 'create', '--env', environment, ...options])).key;
  const [live, test] = [createKey('live'), createKey('test')];
  get('/v1/vehicle/AB12CDE/insurance', test);

  print('\n3. Run the black-box tests');
  show('npm', ['run', '--silent', 'test:black-box'], {
    TEST_API_ORIGIN: origin,
    TEST_API_HOST: address.host,
    TEST_API_ADMIN: `--stack ${STACK}`,
  });

  print('\n4. Put a good and a bad file, and wait for their reports');
  const put = (name: string, text: string) => read('aws', ['s3', 'cp', '-', `s3://${bucket}/${name}`], text);
  put('vehicles/good.csv', GOOD_FILE);
  put('vehicles/bad.csv', BAD_FILE);
  const isSummary = "Contents[?ends_with(Key, 'summary.json')].Key || `[]`";
  const listSummaries = () => list('s3api', 'list-objects-v2', '--bucket', bucket, '--query', isSummary);
  for (const end = Date.now() + MAX_REPORT_MINUTES * 60_000; listSummaries().length < 2; await pause(10_000)) {
    if (Date.now() > end) throw new Error(`no two reports within ${MAX_REPORT_MINUTES} minutes: look at CodeBuild`);
  }
  const summaries = listSummaries().map((key) => JSON.parse(read('aws', ['s3', 'cp', `s3://${bucket}/${key}`, '-'])));
  const outcomes = Object.fromEntries(summaries.map(({ name, outcome }) => [name, outcome]));
  assert.deepEqual(outcomes, { 'vehicles/good.csv': 'loaded', 'vehicles/bad.csv': 'refused' });

  print('\n5. Look up the vehicle of the good file');
  const answer = JSON.parse(get(`/v1/vehicle/${REGISTRATION}/insurance`, live));
  assert.partialDeepStrictEqual(answer, { registration: REGISTRATION, insured: true });
};

const account = aws('sts', 'get-caller-identity', '--query', 'Account');
const answers = createInterface({ input: process.stdin });
const lines = answers[Symbol.asyncIterator]();
const ask = async (question: string): Promise<string> => {
  process.stdout.write(question);
  return (await lines.next()).value?.trim() ?? '';
};
print(`This deploys ${STACK} into the account ${account} in ${region}, uses it for half an hour, and destroys it.
It costs less than 1 USD. After any failure run it again: it first destroys what was left.`);
const given = await ask('To begin, type the number of the account: ');
if (given !== account) endWithoutChange('nothing was done, because the account was not confirmed.');
try {
  destroy();
  await tryStage();
  print('\nEverything succeeded.');
} catch (error) {
  reportError(error);
  await ask('The stage is as it was then. When you have looked at it, press Enter: ');
}
answers.close();
print('\n6. Destroy the stage');
destroy();
const isLeft = `contains(logGroupName, '${STACK}')`;
const logs = list('logs', 'describe-log-groups', '--query', `logGroups[?${isLeft}].logGroupName`);
print(`Left are the assets in the bucket of \`cdk bootstrap\`.
${logs.join('\n')}`);
