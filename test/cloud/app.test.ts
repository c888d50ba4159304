/** `bin/app.ts`, run once in a repository of its own. */
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';
import { useFolder } from '../support/use-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

const inCopy = useFolder();
const run = (command: string, ...args: string[]) => runCommand(command, args, { cwd: inCopy() });
const read = (file: string) => readFile(inCopy(file), 'utf8');

let commit: string;

beforeAll(async () => {
  for (const path of ['bin', 'core', 'functions', 'lib', 'stages', 'cdk.json', 'package.json']) {
    await cp(join(ROOT, path), inCopy(path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), inCopy('node_modules'));
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

it('A deployment outputs its commit', async () => {
  const template = await templateOf('prod');
  expect(JSON.parse(template).Outputs.Commit.Value).toBe(`${commit} with uncommitted changes: M .gitignore`);
  // Anywhere else it would be a change of the functions.
  expect(template.split(commit)).toHaveLength(2);
});
