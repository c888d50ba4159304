/** The recipes of docs/operations.md in TypeScript are accepted by `cdk synth`, each by itself in `bin/app.ts`. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../..');
const BEFORE = 'app.synth();';

const document = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const recipes = [...document.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
const app = readFileSync(join(ROOT, 'bin/app.ts'), 'utf8');

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'recipes-'));
  mkdirSync(join(project, 'bin'));
  cpSync(join(ROOT, 'bin/node-version.cjs'), join(project, 'bin/node-version.cjs'));
  for (const name of ['core', 'functions', 'lib', 'node_modules', 'stages', 'cdk.json', 'package.json'])
    symlinkSync(join(ROOT, name), join(project, name));
});
afterAll(() => rmSync(project, { recursive: true }));

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly AuthorizationType?: string };
}

/** The resources of each stack that `cdk synth` makes of `bin/app.ts` with this recipe. */
const synthesised = (recipe: string): Readonly<Record<string, readonly Resource[]>> => {
  writeFileSync(
    join(project, 'bin/app.ts'),
    app.replace(BEFORE, () => recipe + BEFORE),
  );
  const [out, cdk] = [join(project, 'cdk.out'), join(ROOT, 'node_modules/.bin/cdk')];
  rmSync(out, { recursive: true, force: true });
  const options = { cwd: project, encoding: 'utf8', env: { ...process.env, CDK_VALIDATION: 'false' } } as const;
  const { status, stderr } = spawnSync(process.execPath, [cdk, 'synth', '--quiet', '-c', 'stage=prod'], options);
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const templates = readdirSync(out).filter((name) => name.endsWith('.template.json'));
  return Object.fromEntries(
    templates.map((name) => {
      const { Resources } = JSON.parse(readFileSync(join(out, name), 'utf8')) as {
        Resources: Record<string, Resource>;
      };
      return [name.replace('.template.json', ''), Object.values(Resources)];
    }),
  );
};

const typesOf = (resources: readonly Resource[] = []): Set<string> => new Set(resources.map(({ Type }) => Type));

it.each([
  ['backups', 'prod', ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection', 'AWS::Backup::BackupVault']],
  ['CloudFront with a WAF', 'edge', ['AWS::CloudFront::Distribution', 'AWS::WAFv2::WebACL']],
  ['a budget and cost anomalies', 'costs', ['AWS::Budgets::Budget', 'AWS::CE::AnomalySubscription']],
])('cdk synth accepts the recipe for %s', (name, stack, types) => {
  const recipe = recipes.find((code) => code.includes(`${types[0]?.split('::').at(-1)}(`));
  expect({ name, count: recipes.length, isFound: recipe !== undefined }).toEqual({ name, count: 3, isFound: true });
  const stacks = synthesised(recipe ?? '');
  expect([...typesOf(stacks[`vehicle-verification-${stack}`])]).toEqual(expect.arrayContaining(types));
  const routes = stacks['vehicle-verification-prod']?.filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route') ?? [];
  const authorization = new Set(routes.map(({ Properties }) => Properties?.AuthorizationType));
  // Behind CloudFront no route is left open; otherwise the functions check the keys alone.
  expect([...authorization]).toEqual([stack === 'edge' ? 'CUSTOM' : 'NONE']);
});
