import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/program.ts';
import { useEmulator } from './use-emulator.ts';

const ACCOUNT = '000000000000';
const PROFILE = `[profile emulator]
aws_access_key_id = test
aws_secret_access_key = test
`;

const { inFolder, env, aws, query, cdk, runBuild } = useEmulator();
beforeAll(async () => {
  env.AWS_CONFIG_FILE = inFolder('config');
  env.CDK_OUTPUT = inFolder('trial');
  await writeFile(env.AWS_CONFIG_FILE, PROFILE);
});

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
  const listFiles = async () => {
    const [bucket = ''] = await listBuckets();
    return list('Contents[].Key', 's3api', 'list-objects-v2', '--bucket', bucket, '--prefix', 'vehicles/');
  };

  it('does nothing without the number of the account', async () => {
    await expect(tryWith('123456789012')).rejects.toThrow('nothing was done');
    expect(await listStacks()).toEqual([]);
  });

  it('takes every step, after one that was interrupted, and leaves nothing', async () => {
    await cdk('deploy', '-c', 'stage=trial', '--require-approval', 'never');
    const [bucket] = await listBuckets();
    await aws('s3', 'cp', inFolder('config'), `s3://${bucket}/vehicles/left.csv`);

    const trial = tryWith(ACCOUNT);
    // The bucket of the interrupted trial may go while it is read.
    const countFiles = () =>
      listFiles().then(
        (files) => files.length,
        () => 0,
      );
    while ((await countFiles()) < 2) await Promise.race([trial, pause(500)]);
    const [project = ''] = await list('projects', 'codebuild', 'list-projects');
    await runBuild(project, 'trial');

    expect(await trial).toContain('Everything succeeded.');
    expect(await listStacks()).toEqual([]);
    expect(await listBuckets()).toEqual([]);
  });
});
