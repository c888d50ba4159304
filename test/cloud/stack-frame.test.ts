import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

/** A repository of its own with this project's code. */
let copy: string;

const run = (command: string, ...args: string[]) => runCommand(command, args, { cwd: copy });
const commitAll = async (): Promise<string> => {
  await run('git', 'add', '--all');
  await run('git', ...AUTHOR, 'commit', '--quiet', '--message', 'Test');
  return run('git', 'rev-parse', 'HEAD');
};

/** The template of prod, as text. */
const synthesise = async (): Promise<string> => {
  const { context } = JSON.parse(await readFile(join(ROOT, 'cdk.json'), 'utf8'));
  const outdir = join(copy, 'cdk.out-prod');
  const settings = { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...context, stage: 'prod' }) };
  const env = { ...process.env, CDK_VALIDATION: 'false', ...settings };
  await runCommand(process.execPath, ['bin/app.ts'], { cwd: copy, env });
  return readFile(join(outdir, 'vehicle-verification-prod.template.json'), 'utf8');
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'stack-frame-'));
  for (const path of ['bin', 'core', 'functions', 'lib', 'stages', 'package.json', 'package-lock.json']) {
    await cp(join(ROOT, path), join(copy, path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(join(copy, '.gitignore'), 'node_modules\ncdk.out*\n');
  await run('git', 'init', '--quiet');
});
afterAll(() => rm(copy, { recursive: true }));

// In this order: the second test reads what the first has deployed.
describe('A deployment', () => {
  let deployed: { readonly commit: string; readonly template: string };

  it('outputs its commit with uncommitted changes, and has it nowhere else, because it would be a change of the functions', async () => {
    const commit = await commitAll();
    await writeFile(join(copy, '.gitignore'), 'node_modules\ncdk.*\n');
    deployed = { commit, template: await synthesise() };
    const { Outputs } = JSON.parse(deployed.template);
    expect(Outputs.Commit.Value).toBe(`${commit} with uncommitted changes: M .gitignore`);
    expect(deployed.template.split(commit)).toHaveLength(2);
  });

  it('has the source of each stack frame found by the commit, whatever is checked out since', async () => {
    const words = 'awsAttempts';
    const file = 'core/observability/log.ts';
    const [, hash = ''] =
      /"(sha256:\w+)"/.exec(/"usageFunctionCurrentVersion.*?\}/s.exec(deployed.template)?.[0] ?? '') ?? [];
    const findOrigins = (commit: string, ...frames: string[]) =>
      run(process.execPath, 'bin/stack-frame.ts', 'usage', ...frames, '--commit', commit, '--hash', hash);

    const lines = (await readFile(join(copy, 'cdk.out/functions/usage/index.js'), 'utf8')).split('\n');
    const line = lines.findIndex((text) => text.includes(words));
    const frame = `    at Object.respond (/var/task/index.js:${line + 1}:${(lines[line]?.indexOf(words) ?? 0) + 1})`;
    const source = await readFile(join(copy, file), 'utf8');
    const sourceLine = source.slice(0, source.indexOf(words)).split('\n').length;
    await writeFile(join(copy, file), source.replace(words, 'attempts'));
    const changed = await commitAll();
    const [origin, unknown] = (await findOrigins(deployed.commit, frame, 'index.js:99:1')).split('\n');
    expect(origin).toMatch(new RegExp(`^${file}:${sourceLine}:\\d+$`));
    expect(unknown).toBe('index.js:99:1: not in the bundle');
    await expect(findOrigins(changed, frame)).rejects.toThrow(/usage at .* is not what is deployed/);
  });
});
