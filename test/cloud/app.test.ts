/** `bin/app.ts`, run in a repository of its own. */
import { cp, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';
import { useFolder } from '../support/use-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

const inCopy = useFolder();
const git = (...args: string[]) => runCommand('git', args, { cwd: inCopy() });
const read = (file: string) => readFile(inCopy(file), 'utf8');

it('A deployment outputs its commit, and nothing else of it depends on the commit', async () => {
  for (const path of ['bin', 'core', 'functions', 'lib', 'stages', 'cdk.json', 'package.json']) {
    await cp(join(ROOT, path), inCopy(path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), inCopy('node_modules'));
  await git('init', '--quiet');
  await git(...AUTHOR, 'commit', '--quiet', '--allow-empty', '--message', 'Test');
  const commit = await git('rev-parse', 'HEAD');
  const CDK_CONTEXT_JSON = JSON.stringify(JSON.parse(await read('cdk.json')).context);
  const env = { ...process.env, CDK_VALIDATION: 'false', CDK_OUTDIR: inCopy('cdk.out'), CDK_CONTEXT_JSON };
  await runCommand(process.execPath, ['bin/app.ts'], { cwd: inCopy(), env });
  const template = await read('cdk.out/vehicle-verification-dev.template.json');
  expect(JSON.parse(template).Outputs.Commit.Value).toBe(`${commit} with uncommitted changes`);
  expect(template.split(commit)).toHaveLength(2);
}, 360_000);
