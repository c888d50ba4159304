import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/program.ts';
import { useEmulator } from './use-emulator.ts';

const ACCOUNT = '000000000000';
const PROFILE = `[profile emulator]
aws_access_key_id = test
aws_secret_access_key = test
`;
/** What CloudTrail would log of the supplier's file. */
const EVENT = {
  eventTime: '2026-11-20T09:00:00Z',
  eventName: 'PutObject',
  userIdentity: { arn: 'arn:aws:sts::000000000000:assumed-role/vehicle-verification-trial-supplier/trial' },
  requestParameters: { key: 'vehicles/acme/good.csv' },
};

const { inFolder, env, aws, query, cdk, runBuild } = useEmulator({ checksPolicies: true });
beforeAll(async () => {
  env.AWS_CONFIG_FILE = inFolder('config');
  env.CDK_OUTPUT = inFolder('trial');
  // The emulator finds the API by a host that its certificate does not have.
  env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  await writeFile(env.AWS_CONFIG_FILE, PROFILE);
});

/** The credentials of the role of the builds, which the operator is allowed to assume for it. */
const becomeBuild = async (): Promise<NodeJS.ProcessEnv> => {
  const [role = ''] = await query("Roles[?contains(RoleName, 'IntakeRole')].RoleName", 'iam', 'list-roles');
  const trust = { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' };
  const document = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  await aws('iam', 'update-assume-role-policy', '--role-name', role, '--policy-document', document);
  const arn = `arn:aws:iam::${ACCOUNT}:role/${role}`;
  const assume = ['sts', 'assume-role', '--role-arn', arn, '--role-session-name', 'build'];
  const { AccessKeyId, SecretAccessKey, SessionToken } = await query('Credentials', ...assume);
  return {
    ...env,
    AWS_ACCESS_KEY_ID: AccessKeyId,
    AWS_SECRET_ACCESS_KEY: SecretAccessKey,
    AWS_SESSION_TOKEN: SessionToken,
  };
};

describe('The trial, on an AWS emulator', () => {
  const tryWith = (account: string) =>
    runCommand('npm', ['run', '--silent', 'trial', '--', '--profile', 'emulator'], {
      env,
      input: Readable.from([`${account}\n`]),
    });
  const list = async (...args: Parameters<typeof query>): Promise<string[]> => (await query(...args)) ?? [];
  const listStacks = () =>
    list("Stacks[?contains(StackName, 'trial')].StackStatus", 'cloudformation', 'describe-stacks');
  const listBuckets = () => list("Buckets[?contains(Name, 'trial')].Name", 's3api', 'list-buckets');
  /** What is left of a trial. */
  const listAll = async () => [
    ...(await listStacks()),
    ...(await listBuckets()),
    ...(await list('TableNames', 'dynamodb', 'list-tables')),
    ...(await list('logGroups[].logGroupName', 'logs', 'describe-log-groups')),
    ...(await list("Roles[?contains(RoleName, 'trial')].RoleName", 'iam', 'list-roles')),
  ];

  it('does nothing without the number of the account', async () => {
    await expect(tryWith('123456789012')).rejects.toThrow('nothing was done');
    expect(await listStacks()).toEqual([]);
  });

  it('takes every step, after one that was interrupted, and leaves nothing', async () => {
    await cdk('deploy', '-c', 'stage=trial', '--require-approval', 'never');
    const left = await listBuckets();
    expect(left).toHaveLength(2);
    for (const bucket of left) await aws('s3', 'cp', inFolder('config'), `s3://${bucket}/vehicles/acme/left.csv`);

    const trial = tryWith(ACCOUNT);
    const until = async (isReached: () => Promise<boolean>) => {
      // A bucket of the interrupted trial may go while it is read.
      while (!(await isReached().catch(() => false))) await Promise.race([trial, pause(500)]);
    };
    const bucketOf = async (part: string) => (await listBuckets()).find((name) => name.includes(part)) ?? '';
    const files = async () => list('Contents[].Key', 's3api', 'list-objects-v2', '--bucket', await bucketOf('intake'));
    await until(async () => (await files()).includes('compliance/good.ndjson'));
    // The emulator ignores the protection of the stack's own tables, runs no builds and logs no events.
    for (const name of await list('TableNames', 'dynamodb', 'list-tables')) {
      await aws('dynamodb', 'update-table', '--table-name', name, '--deletion-protection-enabled');
    }
    const role = await becomeBuild();
    for (const project of await list('projects', 'codebuild', 'list-projects')) await runBuild(project, 'trial', role);
    await writeFile(inFolder('event'), await promisify(gzip)(JSON.stringify({ Records: [EVENT] })));
    await aws('s3', 'cp', inFolder('event'), `s3://${await bucketOf('audit')}/AWSLogs/event.json.gz`);

    const printed = await trial;
    expect(printed).toContain('supplier/trial PutObject vehicles/acme/good.csv');
    expect(printed).toContain('Everything succeeded.');
    expect(await listAll()).toEqual([]);
  });
});
