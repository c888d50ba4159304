/** The recipes, called in `bin/app.ts` as their examples and docs/operations.md#recipes say, make stacks. */
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';
import { useFolder } from '../support/use-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const recipes = globSync('docs/recipes/*.ts', { cwd: ROOT }).map((file) => {
  const [, example = ''] = /^ \* @example\n(.*?)^ \*\/$/ms.exec(read(file)) ?? [];
  return example.replaceAll(/^ \* ?/gm, '');
});

const inProject = useFolder();
beforeAll(async () => {
  mkdirSync(inProject('bin'));
  cpSync(join(ROOT, 'bin/node-version.cjs'), inProject('bin/node-version.cjs'));
  for (const name of ['core', 'docs', 'functions', 'lib', 'node_modules', 'stages', 'package.json'])
    symlinkSync(join(ROOT, name), inProject(name));
  const [imports, calls] = [/^import .*$/gm, /^(?!import ).+$/gm].map((lines) =>
    recipes.flatMap((recipe) => recipe.match(lines) ?? []).join('\n'),
  );
  const app = read('bin/app.ts')
    .replace('new ServiceStack(', 'const service = new ServiceStack(')
    .replace('app.synth();', () => `${calls}\napp.synth();`);
  writeFileSync(inProject('bin/app.ts'), `${imports}\n${app}`);
  const CDK_CONTEXT_JSON = JSON.stringify({ ...JSON.parse(read('cdk.json')).context, stage: 'prod' });
  await runCommand(process.execPath, ['bin/app.ts'], {
    cwd: inProject(),
    env: { ...process.env, CDK_VALIDATION: 'false', CDK_OUTDIR: 'out', CDK_CONTEXT_JSON },
  });
}, 360_000);

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

const resourcesOf = (name: string): Resource[] => {
  const template = inProject('out', `vehicle-verification-${name}.template.json`);
  return Object.values(JSON.parse(readFileSync(template, 'utf8')).Resources);
};

it.each([
  ['backups', 'prod', ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection', 'AWS::Backup::BackupVault']],
  ['copies in a second region', 'prod-copies', ['AWS::Backup::BackupVault']],
  ['a subscription of the alarms', 'prod', ['AWS::SNS::Subscription']],
  ['changes of keys', 'prod', ['AWS::CloudTrail::Trail', 'AWS::S3::Bucket']],
  ['CloudFront with a WAF', 'edge', ['AWS::CloudFront::Distribution', 'AWS::WAFv2::WebACL']],
  ['a budget and cost anomalies', 'costs', ['AWS::Budgets::Budget', 'AWS::CE::AnomalySubscription']],
])('The recipe for %s makes its resources', (_name, stack, types) => {
  expect(resourcesOf(stack).map(({ Type }) => Type)).toEqual(expect.arrayContaining(types));
});

it('Behind CloudFront no route is left open, and the probe asks what callers ask', () => {
  const prod = resourcesOf('prod');
  const routes = prod.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route');
  expect([...new Set(routes.map(({ Properties }) => Properties.AuthorizationType))]).toEqual(['CUSTOM']);
  const environments = prod.map(({ Properties }) => JSON.stringify(Properties.Environment ?? ''));
  expect(environments.filter((text) => text.includes('"PROBED_ORIGIN":"https://api.example.com"'))).toHaveLength(1);
});
