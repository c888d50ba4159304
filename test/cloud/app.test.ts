/** `bin/app.ts`, run once: in a repository of its own, with the calls that the recipes give as examples. */
import { cp, glob, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';
import { useFolder } from '../support/use-folder.ts';
import type { Resource, Template } from './stack/templates.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

const inCopy = useFolder();
const run = (command: string, ...args: string[]) => runCommand(command, args, { cwd: inCopy() });
const read = (file: string) => readFile(inCopy(file), 'utf8');

const addRecipes = async (): Promise<void> => {
  const files = await Array.fromAsync(glob('docs/recipes/*.ts', { cwd: ROOT }));
  const recipes = await Promise.all(
    files.map(async (file) => {
      const [, example = ''] = /^ \* @example\n(.*?)^ \*\/$/ms.exec(await read(file)) ?? [];
      return example.replaceAll(/^ \* ?/gm, '');
    }),
  );
  expect(recipes).not.toContain('');
  const [imports, calls] = [/^import .*$/gm, /^(?!import ).+$/gm].map((lines) =>
    recipes.flatMap((recipe) => recipe.match(lines) ?? []).join('\n'),
  );
  const app = (await read('bin/app.ts'))
    .replace('new ServiceStack(', 'const service = new ServiceStack(')
    .replace('app.synth();', () => `${calls}\napp.synth();`);
  await writeFile(inCopy('bin/app.ts'), `${imports}\n${app}`);
};

let commit: string;

beforeAll(async () => {
  for (const path of ['bin', 'core', 'docs/recipes', 'functions', 'lib', 'stages', 'cdk.json', 'package.json']) {
    await cp(join(ROOT, path), inCopy(path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), inCopy('node_modules'));
  await addRecipes();
  await writeFile(inCopy('.gitignore'), 'node_modules\ncdk.out\n');
  await run('git', 'init', '--quiet');
  await run('git', 'add', '--all');
  await run('git', ...AUTHOR, 'commit', '--quiet', '--message', 'Test');
  commit = await run('git', 'rev-parse', 'HEAD');
  await writeFile(inCopy('.gitignore'), 'node_modules\ncdk.*\n');
  const { context } = JSON.parse(await read('cdk.json'));
  const CDK_CONTEXT_JSON = JSON.stringify({ ...context, stage: 'prod' });
  const env = { ...process.env, CDK_VALIDATION: 'false', CDK_OUTDIR: inCopy('cdk.out'), CDK_CONTEXT_JSON };
  await runCommand(process.execPath, ['bin/app.ts'], { cwd: inCopy(), env });
}, 360_000);

const templateOf = (stack: string) => read(`cdk.out/vehicle-verification-${stack}.template.json`);
const resourcesOf = async (stack: string): Promise<Resource[]> =>
  Object.values((JSON.parse(await templateOf(stack)) as Template).Resources);

it('A deployment outputs its commit', async () => {
  const template = await templateOf('prod');
  expect(JSON.parse(template).Outputs.Commit.Value).toBe(`${commit} with uncommitted changes: M .gitignore`);
  // Anywhere else it would be a change of the functions.
  expect(template.split(commit)).toHaveLength(2);
});

it.each([
  ['backups', 'prod', ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection', 'AWS::Backup::BackupVault']],
  ['copies in a second region', 'prod-copies', ['AWS::Backup::BackupVault']],
  ['a subscription of the alarms', 'prod', ['AWS::SNS::Subscription']],
  ['changes of keys', 'prod', ['AWS::CloudTrail::Trail', 'AWS::S3::Bucket']],
  ['CloudFront with a WAF', 'edge', ['AWS::CloudFront::Distribution', 'AWS::WAFv2::WebACL']],
  ['a budget and cost anomalies', 'costs', ['AWS::Budgets::Budget', 'AWS::CE::AnomalySubscription']],
])('The recipe for %s makes its resources', async (_name, stack, types) => {
  expect((await resourcesOf(stack)).map(({ Type }) => Type)).toEqual(expect.arrayContaining(types));
});

it('Behind CloudFront no route is left open, and the probe asks what callers ask', async () => {
  const prod = await resourcesOf('prod');
  const routes = prod.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route');
  expect([...new Set(routes.map(({ Properties }) => Properties.AuthorizationType))]).toEqual(['CUSTOM']);
  const environments = prod.map(({ Properties }) => JSON.stringify(Properties.Environment ?? ''));
  expect(environments.filter((text) => text.includes('"PROBED_ORIGIN":"https://api.example.com"'))).toHaveLength(1);
});
