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
const commitAll = async (): Promise<string> => {
  await run('git', 'add', '--all');
  await run('git', ...AUTHOR, 'commit', '--quiet', '--message', 'Test');
  return run('git', 'rev-parse', 'HEAD');
};

let commit: string;

beforeAll(async () => {
  for (const path of ['bin', 'core', 'functions', 'lib', 'stages', 'cdk.json', 'package.json']) {
    await cp(join(ROOT, path), inCopy(path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), inCopy('node_modules'));
  await writeFile(inCopy('.gitignore'), 'node_modules\ncdk.out\n');
  await run('git', 'init', '--quiet');
  commit = await commitAll();
  await writeFile(inCopy('.gitignore'), 'node_modules\ncdk.*\n');
  const { context } = JSON.parse(await read('cdk.json'));
  const CDK_CONTEXT_JSON = JSON.stringify({ ...context, stage: 'prod' });
  const env = { ...process.env, CDK_VALIDATION: 'false', CDK_OUTDIR: inCopy('cdk.out'), CDK_CONTEXT_JSON };
  await runCommand(process.execPath, ['bin/app.ts'], { cwd: inCopy(), env });
}, 360_000);

const templateOf = (stack: string) => read(`cdk.out/vehicle-verification-${stack}.template.json`);

it('A deployment outputs its commit, by which stack-frame finds the source of a frame, whatever is checked out since', async () => {
  const template = await templateOf('prod');
  expect(JSON.parse(template).Outputs.Commit.Value).toBe(`${commit} with uncommitted changes: M .gitignore`);
  // Anywhere else it would be a change of the functions.
  expect(template.split(commit)).toHaveLength(2);

  const [words, file] = ['awsAttempts', 'core/observability/log.ts'];
  const lines = (await read('cdk.out/functions/usage/index.js')).split('\n');
  const line = lines.findIndex((text) => text.includes(words));
  const frame = `    at Object.respond (/var/task/index.js:${line + 1}:${(lines[line]?.indexOf(words) ?? 0) + 1})`;
  const source = await read(file);
  const sourceLine = source.slice(0, source.indexOf(words)).split('\n').length;
  await writeFile(inCopy(file), `// Another line.\n${source}`);
  await commitAll();
  const [hash, origin] = (await run(process.execPath, 'bin/stack-frame.ts', commit, 'usage', frame)).split('\n');
  expect(template).toContain(`"${hash}"`);
  expect(origin).toMatch(new RegExp(`^${file}:${sourceLine}:\\d+$`));
  expect((await run('git', 'worktree', 'list')).split('\n')).toHaveLength(1);
});
