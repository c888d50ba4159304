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
  const credentials = 'aws_access_key_id = test\naws_secret_access_key = test\n';
  for (const [name, text] of [
    ['prod.json', '{ "region": "eu-west-1" }'],
    ['typo.json', '{ "region": "London" }'],
    ['broken.json', '{ "region"'],
    ['config', `[default]\nregion = eu-north-1\n${credentials}[profile ops]\nregion = eu-south-1\n${credentials}`],
  ] as const) {
    await writeFile(join(stages, name), text);
  }
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

const ENVIRONMENT = { AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-west-2', AWS_PROFILE: 'ops' };

describe('The region of a stack', () => {
  it.each([
    [PROD, {}, 'eu-west-1', 'stages/prod.json'],
    [PROD, ENVIRONMENT, 'eu-west-1', 'stages/prod.json'],
    ['x', ENVIRONMENT, 'us-east-1', 'AWS_REGION'],
    ['x', { ...ENVIRONMENT, AWS_REGION: '' }, 'us-west-2', 'AWS_DEFAULT_REGION'],
    ['x', { AWS_PROFILE: 'ops' }, 'eu-south-1', 'the profile ops'],
    ['x', {}, 'eu-north-1', 'the profile default'],
  ])(
    'is that of its settings, else of the environment, else of the profile: of %s with %j %s',
    async (stack, env, region, source) => {
      const sentence = `there is no stack ${stack} in ${region} (from ${source})`;
      expect(await run(stack, env)).toEqual({ ...failure(sentence), regions: [region] });
    },
  );

  it('is that of --region, with a notice when the settings differ, also with --json', async () => {
    const notice = '--region is eu-west-2, but stages/prod.json has eu-west-1: the stack in eu-west-2 is used';
    const { stderr, regions } = await run(PROD, {}, '--region', 'eu-west-2');
    const sentence = expect.stringContaining(`there is no stack ${PROD} in eu-west-2 (from --region)`);
    expect([stderr.split('\n'), regions]).toEqual([[notice, sentence, ''], ['eu-west-2']]);
    const [shown = ''] = (await run(PROD, {}, '--region', 'eu-west-2', '--json')).stderr.split('\n');
    expect(JSON.parse(shown)).toEqual({ notice });
    expect((await run(PROD, {}, '--region', 'eu-west-1')).stderr).toMatch(/^error: [^\n]+\n$/);
  });

  it.each([
    [['vehicle-verification-typo'], '"London" (stages/typo.json) is not the name of a region, such as eu-west-2'],
    [['vehicle-verification-broken'], 'stages/broken.json is not valid JSON'],
    [['x', '--region', 'eu west 2'], '"eu west 2" (--region) is not the name of a region'],
  ])('is rejected when it is invalid: %j', async ([stack = '', ...args], sentence) => {
    expect(await run(stack, {}, ...args)).toEqual({ ...failure(sentence), regions: [] });
  });

  it('is requested in the error when nothing names it', async () => {
    process.env.AWS_CONFIG_FILE = join(stages, 'no-config');
    for (const stack of ['x', 'vehicle-verification-dev']) {
      const sentence = `name the region of the stack ${stack} with --region\n`;
      expect(await run(stack)).toEqual({ ...failure(sentence), regions: [] });
    }
  });
});
