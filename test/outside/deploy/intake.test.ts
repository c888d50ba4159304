import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { complianceLine, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { runCommand } from '../../support/program.ts';
import { STACK, useEmulator } from './use-emulator.ts';

const SUPPLIER = 'arn:aws:iam::000000000000:role/acme';
const ENTRIES = [
  {
    prefix: 'vehicles/acme/',
    import: 'vehicles',
    supplier: 'acme',
    expect: '26h',
    complete: true,
    removeAtMost: '2%',
    from: SUPPLIER,
  },
  { prefix: 'compliance/', import: 'compliance', expect: '26h' },
];

const AUDITORS = 'auditors';
const lookupLog = { auditors: [`arn:aws:iam::000000000000:role/${AUDITORS}`] };

const { inFolder, env: operator, query, deployProd, runBuild, stack } = useEmulator({ checksPolicies: true });
let bucket: string;
let projects: { readonly vehicles: string; readonly compliance: string };

const aws = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> => runCommand('aws', args, { env });

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

const createRole = (role: string): Promise<string> => {
  const trust = '{"Version":"2012-10-17","Statement":[]}';
  return aws(operator, 'iam', 'create-role', '--role-name', role, '--assume-role-policy-document', trust);
};

/** A new role with the policy of this output. */
const roleWith = async (output: string, role = `has-${output}`): Promise<NodeJS.ProcessEnv> => {
  await createRole(role);
  const policy = await stack(STACK).output(output);
  await aws(operator, 'iam', 'attach-role-policy', '--role-name', role, '--policy-arn', policy);
  return assume(role);
};

const put = async (env: NodeJS.ProcessEnv, key: string, content: string): Promise<void> => {
  const file = inFolder('put');
  await writeFile(file, content);
  await aws(env, 's3api', 'put-object', '--bucket', bucket, '--key', key, '--body', file);
};

let supplier: NodeJS.ProcessEnv;

beforeAll(async () => {
  await createRole('acme');
  await deployProd({ intake: ENTRIES, lookupLog });
  bucket = await physicalId('S3::Bucket', 'Intake');
  // What the supplier's account permits its role, as the guide says.
  const actions = {
    's3:PutObject': '/vehicles/acme/*',
    's3:GetObject': '/reports/vehicles/acme/*',
    's3:ListBucket': '',
  };
  const Statement = Object.entries(actions).map(([Action, keys]) => ({
    Effect: 'Allow',
    Action,
    Resource: `arn:aws:s3:::${bucket}${keys}`,
  }));
  const policy = ['--policy-name', 'own', '--policy-document', JSON.stringify({ Version: '2012-10-17', Statement })];
  await aws(operator, 'iam', 'put-role-policy', '--role-name', 'acme', ...policy);
  supplier = await assume('acme');
  projects = {
    vehicles: await physicalId('CodeBuild::Project', 'Intakevehicles'),
    compliance: await physicalId('CodeBuild::Project', 'Intakecompliance'),
  };
});

// In this order: each test finds the stack as the one before it left it.
describe('The intake, deployed to an AWS emulator that checks policies', () => {
  let role: NodeJS.ProcessEnv;
  /** Runs the deployed build with the permissions of its role. */
  const build = (project: string) => runBuild(project, 'prod', role);

  // The emulator starts no builds: a queue gets the events, and the test starts builds with the role of the rules.
  it('starts a build of the supplier’s own project when the supplier puts a file, by the bucket’s policy and its own', async () => {
    const sqs = ['sqs', '--endpoint-url', String(operator.AWS_ENDPOINT_URL)];
    const queue = await query('QueueUrl', ...sqs, 'create-queue', '--queue-name', 'events');
    const received = async (): Promise<readonly string[]> =>
      (await query('Messages[].Body', ...sqs, 'receive-message', '--queue-url', queue)) ?? [];
    const rule = await physicalId('Events::Rule', 'Intakevehicles');
    const target = 'Id=queue,Arn=arn:aws:sqs:eu-west-2:000000000000:events';
    await aws(operator, 'events', 'put-targets', '--rule', rule, '--targets', target);
    await put(operator, 'compliance/c.ndjson', `${complianceLine({ registration: 'AB12CDE' })}\n`);
    await put(supplier, 'vehicles/acme/a + b.csv', vehiclesCsv(vehicleRow({ registration: 'AB12CDE' })));
    for (const key of ['compliance/a.ndjson', 'control/loaded/vehicles/acme', 'reports/vehicles/acme/a']) {
      await expect(put(supplier, key, '')).rejects.toThrow('AccessDenied');
    }
    let bodies = await received();
    for (; bodies.length === 0; bodies = await received()) await pause(500);
    expect(bodies.map((body) => JSON.parse(body).detail.object.key)).toEqual([expect.stringMatching(/^vehicles/)]);
    const starter = await assume(await physicalId('IAM::Role', 'IntakeStartRole'));
    for (const project of Object.values(projects)) {
      await aws(starter, 'codebuild', 'start-build', '--project-name', project);
    }
    await expect(aws(starter, 'codebuild', 'list-projects')).rejects.toThrow(/AccessDenied|not authorized/);
  });

  it('loads for each project, with the permissions of the builds', async () => {
    role = await assume(await physicalId('IAM::Role', 'IntakeRole'));
    const nothing = { loaded: 0, refused: 0, superseded: 0, ignored: 0 };
    for (const project of Object.values(projects)) {
      expect(JSON.parse(await build(project))).toEqual({ ...nothing, loaded: 1 });
      expect(JSON.parse(await build(project))).toEqual(nothing);
    }
  });

  it('tells of a refused file and gives its report to the supplier, and the build does not fail', async () => {
    await put(supplier, 'vehicles/acme/bad.csv', '"');
    expect(JSON.parse(await build(projects.vehicles))).toMatchObject({ loaded: 0, refused: 1 });
    const list = ['s3api', 'list-objects-v2', '--bucket', bucket, '--prefix', 'reports/vehicles/acme/'];
    const keys = (await aws(supplier, ...list, '--query', 'Contents[].Key', '--output', 'text')).trim().split(/\s+/);
    expect(keys).toEqual([1, 2].map(() => expect.stringMatching(/^reports\/.+\/[0-9a-f]{32}@[^/]+\/summary\.json$/)));
    for (const key of keys) await aws(supplier, 's3', 'cp', `s3://${bucket}/${key}`, '-');
  });

  it('keeps what loads have changed from the supplier', async () => {
    const listing = ['s3api', 'list-objects-v2', '--bucket', bucket, '--prefix', 'changes/'];
    const changes = await query('Contents[].Key', ...listing);
    expect(changes).toEqual([1, 2].map(() => expect.stringMatching(/^changes\/[^/]+\/000001\.ndjson$/)));
    // Its own policy, in the same account, lets this role list the bucket; that of the bucket lets no role of another one.
    for (const args of [
      ...changes.map((key: string) => ['s3api', 'get-object', '--bucket', bucket, '--key', key, inFolder('denied')]),
      ['s3api', 'put-object', '--bucket', bucket, '--key', 'changes/a.ndjson'],
    ]) {
      await expect(aws(supplier, ...args)).rejects.toThrow('AccessDenied');
    }
  });

  it('denies the builds everything else', async () => {
    const keys = await physicalId('DynamoDB::GlobalTable', 'Tableskeys');
    const name = ['--bucket', bucket, '--key', 'control/other'];
    for (const args of [
      ['s3api', 'put-object', ...name],
      ['s3api', 'delete-object', ...name],
      ['s3api', 'put-object', '--bucket', bucket, '--key', 'vehicles/acme/b.csv'],
      ['dynamodb', 'scan', '--table-name', keys],
      ['cloudformation', 'list-stack-resources', '--stack-name', STACK],
      ['codebuild', 'start-build', '--project-name', projects.vehicles],
      ['cloudwatch', 'put-metric-data', '--namespace', 'Other', '--metric-name', 'M', '--value', '1'],
    ]) {
      await expect(aws(role, ...args)).rejects.toThrow(/AccessDenied|not authorized/);
    }
  });
});

describe('The key of the lookup log, deployed to an AWS emulator that checks policies', () => {
  const derive = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const { key } = JSON.parse(await stack(STACK).output('LookupLogSettings'));
    const input = ['--key-id', key, '--mac-algorithm', 'HMAC_SHA_256', '--message', 'MjAyNi0xMQ=='];
    return JSON.parse(await aws(env, 'kms', 'generate-mac', ...input)).Mac;
  };

  it('gives the functions of lookups and the auditors the same secret', async () => {
    const auditor = await derive(await roleWith('AuditorPolicy', AUDITORS));
    expect(Buffer.from(auditor, 'base64')).toHaveLength(32);
    for (const id of ['vehicleinsurance', 'bulkcompliance']) {
      expect(await derive(await assume(await physicalId('IAM::Role', id)))).toBe(auditor);
    }
  });

  it.each(['OperatorPolicy', 'LoadsPolicy', 'OnCallPolicy', 'SupportPolicy', 'KeysPolicy'])(
    'denies it to whoever has %s',
    async (output) => {
      await expect(derive(await roleWith(output))).rejects.toThrow(/AccessDenied|not authorized/);
    },
  );

  it('denies it to whoever has AuditorPolicy and is no auditor, and to a role that may do everything else', async () => {
    await expect(derive(await roleWith('AuditorPolicy'))).rejects.toThrow(/AccessDenied|not authorized/);
    const allow = { Effect: 'Allow', Action: '*', Resource: '*' };
    const document = JSON.stringify({ Version: '2012-10-17', Statement: [allow] });
    await createRole('everything');
    const policy = ['--role-name', 'everything', '--policy-name', 'own', '--policy-document', document];
    await aws(operator, 'iam', 'put-role-policy', ...policy);
    const everything = await assume('everything');
    await aws(everything, 'kms', 'list-keys');
    await expect(derive(everything)).rejects.toThrow(/AccessDenied|not authorized/);
  });

  it('is not reached by the builds of the intake', async () => {
    const role = await assume(await physicalId('IAM::Role', 'IntakeRole'));
    await expect(derive(role)).rejects.toThrow(/AccessDenied|not authorized/);
  });
});
