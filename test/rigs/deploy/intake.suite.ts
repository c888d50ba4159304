import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { complianceLine, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { runCommand } from '../../support/run-command.ts';
import { runBuild } from './run-build.ts';
import { STACK, useEmulator } from './use-emulator.ts';

const ENTRIES = [
  { prefix: 'vehicles/acme/', import: 'vehicles', complete: true, removeAtMost: '2%' },
  { prefix: 'compliance/', import: 'compliance' },
];

const { inFolder, env: operator, deployProd } = useEmulator({ checksPolicies: true });
let bucket: string;
let project: string;

const aws = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> => runCommand('aws', args, { env });

/** What `aws … --query` finds. */
const query = async (expression: string, ...args: string[]) =>
  JSON.parse(await aws(operator, ...args, '--query', expression, '--output', 'json'));

const physicalId = (type: string, start: string): Promise<string> =>
  query(
    `StackResourceSummaries[?ResourceType=='AWS::${type}' && starts_with(LogicalResourceId, '${start}')].PhysicalResourceId | [0]`,
    ...['cloudformation', 'list-stack-resources', '--stack-name', STACK],
  );

/** The credentials of a role, which the operator is allowed to assume for it. */
const assume = async (role: string): Promise<NodeJS.ProcessEnv> => {
  const trust = { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' };
  const document = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  await aws(operator, 'iam', 'update-assume-role-policy', '--role-name', role, '--policy-document', document);
  const arn = await query('Role.Arn', 'iam', 'get-role', '--role-name', role);
  const { AccessKeyId, SecretAccessKey, SessionToken } = await query(
    'Credentials',
    ...['sts', 'assume-role', '--role-arn', arn, '--role-session-name', 'test'],
  );
  return {
    ...operator,
    AWS_ACCESS_KEY_ID: AccessKeyId,
    AWS_SECRET_ACCESS_KEY: SecretAccessKey,
    AWS_SESSION_TOKEN: SessionToken,
  };
};

const put = async (env: NodeJS.ProcessEnv, key: string, content: string): Promise<void> => {
  const file = inFolder('put');
  await writeFile(file, content);
  await aws(env, 's3api', 'put-object', '--bucket', bucket, '--key', key, '--body', file);
};

const builds = (): Promise<readonly string[]> =>
  query('ids', 'codebuild', 'list-builds-for-project', '--project-name', project);

beforeAll(async () => {
  await deployProd({ intake: ENTRIES });
  bucket = await physicalId('S3::Bucket', 'Intake');
  project = await physicalId('CodeBuild::Project', 'Intake');
});

// In this order: each test finds the stack as the one before it left it.
describe('The intake, deployed to an AWS emulator that checks policies', () => {
  let role: NodeJS.ProcessEnv;
  /** Runs the deployed build with the permissions of its role. */
  const build = () => runBuild({ project, operator, role, assembly: inFolder('prod') });

  it('starts a build when a supplier puts a file', async () => {
    const before = await builds();
    const trust = '{"Version":"2012-10-17","Statement":[]}';
    await aws(operator, ...'iam create-role --role-name acme --assume-role-policy-document'.split(' '), trust);
    const policy = await query(
      "Stacks[0].Outputs[?OutputKey=='IntakePolicyVehiclesAcme'].OutputValue | [0]",
      ...['cloudformation', 'describe-stacks', '--stack-name', STACK],
    );
    await aws(operator, 'iam', 'attach-role-policy', '--role-name', 'acme', '--policy-arn', policy);
    const supplier = await assume('acme');
    await put(supplier, 'vehicles/acme/a + b.csv', vehiclesCsv(vehicleRow({ registration: 'AB12CDE' })));
    for (const key of ['compliance/a.ndjson', 'control/erased.txt', 'reports/vehicles/acme/a']) {
      await expect(put(supplier, key, '')).rejects.toThrow('AccessDenied');
    }
    while ((await builds()).length <= before.length) await pause(500);
  });

  it('loads nothing without control/erased.txt, then both prefixes, with the permissions of the build', async () => {
    role = await assume(await physicalId('IAM::Role', 'IntakeRole'));
    await put(operator, 'compliance/c.ndjson', `${complianceLine({ registration: 'AB12CDE' })}\n`);
    expect(await build()).toMatchObject([{ outcome: 'failed' }, { outcome: 'failed' }]);
    await put(operator, 'control/erased.txt', '');
    expect(await build()).toMatchObject([
      { outcome: 'loaded', loaded: 1 },
      { outcome: 'loaded', loaded: 1 },
    ]);
    expect(await build()).toEqual([]);
    const list = ['s3api', 'list-objects-v2', '--bucket', bucket, '--prefix', 'reports/'];
    const reports = await query('Contents[].Key', ...list);
    expect(reports).toEqual([
      expect.stringMatching(/^reports\/compliance\/[0-9a-f]{32}@[^/]+\/summary\.json$/),
      expect.stringMatching(/^reports\/vehicles\/acme\/[0-9a-f]{32}@[^/]+\/summary\.json$/),
    ]);
  });

  it('denies the build everything else', async () => {
    const keys = await physicalId('DynamoDB::GlobalTable', 'Tableskeys');
    const name = ['--bucket', bucket, '--key', 'control/erased.txt'];
    for (const args of [
      ['s3api', 'put-object', ...name],
      ['s3api', 'delete-object', ...name],
      ['s3api', 'put-object', '--bucket', bucket, '--key', 'vehicles/acme/b.csv'],
      ['dynamodb', 'scan', '--table-name', keys],
      ['cloudformation', 'describe-stacks', '--stack-name', STACK],
      ['codebuild', 'start-build', '--project-name', project],
      ['cloudwatch', 'put-metric-data', '--namespace', 'Other', '--metric-name', 'M', '--value', '1'],
    ]) {
      await expect(aws(role, ...args)).rejects.toThrow(/AccessDenied|not authorized/);
    }
  });
});
