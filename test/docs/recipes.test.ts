/** The recipes of docs/operations.md in TypeScript make stacks, each by itself in `bin/app.ts`. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';
import { useFolder } from '../support/use-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const BEFORE = 'app.synth();';
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const recipes = [...read('docs/operations.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

const inProject = useFolder();
beforeAll(async () => {
  mkdirSync(inProject('bin'));
  cpSync(join(ROOT, 'bin/node-version.cjs'), inProject('bin/node-version.cjs'));
  for (const name of ['core', 'functions', 'lib', 'node_modules', 'stages', 'package.json'])
    symlinkSync(join(ROOT, name), inProject(name));
  // In one process: loading the CDK takes longer than a stack.
  const program = recipes.map((recipe, index) => {
    const app = read('bin/app.ts').replace(BEFORE, () => recipe + BEFORE);
    writeFileSync(inProject(`bin/app-${index}.ts`), app);
    return `process.env.CDK_OUTDIR = 'out-${index}'; await import('./bin/app-${index}.ts');`;
  });
  const CDK_CONTEXT_JSON = JSON.stringify({ ...JSON.parse(read('cdk.json')).context, stage: 'prod' });
  await runCommand(process.execPath, ['--input-type=module', '--eval', program.join('\n')], {
    cwd: inProject(),
    env: { ...process.env, CDK_VALIDATION: 'false', CDK_CONTEXT_JSON },
  });
  // Four stacks: four times what a test may take.
}, 480_000);

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly AuthorizationType?: string };
}

it.each([
  ['backups', 'prod', ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection', 'AWS::Backup::BackupVault']],
  ['changes of keys', 'prod', ['AWS::CloudTrail::Trail', 'AWS::S3::Bucket']],
  ['CloudFront with a WAF', 'edge', ['AWS::CloudFront::Distribution', 'AWS::WAFv2::WebACL']],
  ['a budget and cost anomalies', 'costs', ['AWS::Budgets::Budget', 'AWS::CE::AnomalySubscription']],
])('The recipe for %s makes its resources', (_name, stack, types) => {
  const index = recipes.findIndex((code) => code.includes(`${types[0]?.split('::').at(-1)}(`));
  const resourcesOf = (name: string): Resource[] => {
    const template = inProject(`out-${index}`, `vehicle-verification-${name}.template.json`);
    return Object.values(JSON.parse(readFileSync(template, 'utf8')).Resources);
  };
  expect([recipes.length, resourcesOf(stack).map(({ Type }) => Type)]).toEqual([4, expect.arrayContaining(types)]);
  const routes = resourcesOf('prod').filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route');
  // Behind CloudFront no route is left open; otherwise the functions check the keys alone.
  const authorization = new Set(routes.map(({ Properties }) => Properties?.AuthorizationType));
  expect([...authorization]).toEqual([stack === 'edge' ? 'CUSTOM' : 'NONE']);
});
