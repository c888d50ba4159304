import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CommandOptions, failure, runCommand } from '../command-line.ts';
import { type AwsServer, startAwsServer } from './aws-server.ts';

const NAMES = { keys: 'k', usage: 'u', vehicles: 'v', compliance: 'c', content: 'n' };
const PROD = 'vehicle-verification-prod';

let stages: string;
let server: AwsServer;

beforeAll(async () => {
  server = await startAwsServer();
  stages = await mkdtemp(join(tmpdir(), 'stages-'));
  await writeFile(join(stages, 'prod.json'), '{ "region": "eu-west-1" }');
  await writeFile(join(stages, 'typo.json'), '{ "region": "London" }');
  await writeFile(join(stages, 'broken.json'), '{ "region"');
  const credentials = 'aws_access_key_id = test\naws_secret_access_key = test\n';
  const [ours, ops] = ['[default]\nregion = eu-north-1\n', '[profile ops]\nregion = eu-south-1\n'];
  await writeFile(join(stages, 'config'), [ours, credentials, ops, credentials].join(''));
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) delete process.env[name];
  Object.assign(process.env, {
    AWS_CONFIG_FILE: join(stages, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(stages, 'none'),
    AWS_ENDPOINT_URL: server.endpoint,
  });
});
beforeEach(() => server.failWith(undefined));
afterAll(async () => {
  server.close();
  await rm(stages, { recursive: true });
});

/** Reads a stack that does not exist: the message and the signature contain the region. */
const run = async (stack: string, env: CommandOptions['env'] = {}, ...args: string[]) => {
  const result = await runCommand(['keys', 'list', '--stack', stack, ...args], NAMES, { env, stagesFolder: stages });
  return { ...result, regions: [...server.regions] };
};

const missing = (stack: string, region: string, source: string) => ({
  ...failure(`there is no stack ${stack} in ${region} (from ${source})`),
  regions: [region],
});

describe('The region of a stack', () => {
  it('is that of the settings of its stage, whatever the environment says', async () => {
    const expected = missing(PROD, 'eu-west-1', 'stages/prod.json');
    expect(await run(PROD)).toEqual(expected);
    expect(await run(PROD, { AWS_REGION: 'us-east-1' })).toMatchObject({ stderr: expected.stderr });
  });

  it('is that of --region, with a notice when the settings differ', async () => {
    const { stderr, regions } = await run(PROD, {}, '--region', 'eu-west-2');
    expect(stderr.split('\n')).toEqual([
      '--region is eu-west-2, but stages/prod.json has eu-west-1: the stack in eu-west-2 is used',
      expect.stringContaining(`there is no stack ${PROD} in eu-west-2 (from --region)`),
      '',
    ]);
    expect(regions).toEqual(['eu-west-2']);
    expect((await run(PROD, {}, '--region', 'eu-west-1')).stderr).toMatch(/^error: [^\n]+\n$/);
  });

  it('gives the notice as JSON with --json', async () => {
    const { stderr } = await run(PROD, {}, '--region', 'eu-west-2', '--json');
    const [notice] = stderr.split('\n').map((line) => line && (JSON.parse(line) as unknown));
    expect(notice).toEqual({ notice: expect.stringContaining('but stages/prod.json has eu-west-1') });
  });

  it('comes from AWS_REGION, AWS_DEFAULT_REGION or the profile, in this order, when no file has it', async () => {
    const environment = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-west-2', AWS_PROFILE: 'ops' };
    expect(await run('x', environment)).toEqual(missing('x', 'us-east-1', 'AWS_REGION'));
    server.failWith(undefined);
    expect(await run('x', { ...environment, AWS_REGION: '' })).toEqual(missing('x', 'us-west-2', 'AWS_DEFAULT_REGION'));
    expect((await run('x', { AWS_PROFILE: 'ops' })).stderr).toContain('in eu-south-1 (from the profile ops)');
    expect((await run('x')).stderr).toContain('in eu-north-1 (from the profile default)');
  });

  it('is requested in the error when nothing names it', async () => {
    process.env.AWS_CONFIG_FILE = join(stages, 'no-config');
    for (const stack of ['x', 'vehicle-verification-dev']) {
      expect(await run(stack)).toEqual({
        ...failure(`name the region of the stack ${stack} with --region\n`),
        regions: [],
      });
    }
  });

  it.each([
    [['vehicle-verification-typo'], '"London" (stages/typo.json) is not the name of a region, such as eu-west-2'],
    [['vehicle-verification-broken'], 'stages/broken.json is not valid JSON'],
    [['x', '--region', 'eu west 2'], '"eu west 2" (--region) is not the name of a region'],
  ])('is rejected when it is invalid: %j', async ([stack = '', ...args], sentence) => {
    expect(await run(stack, {}, ...args)).toEqual({ ...failure(sentence), regions: [] });
  });
});
