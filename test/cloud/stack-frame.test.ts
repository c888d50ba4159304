import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface SynthesisedStack {
  readonly Outputs: { readonly Commit: { readonly Value: string } };
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: { Description?: string } }>
  >;
}

/** A repository of its own with this project's code. */
let copy: string;
let context: object;

const run = (command: string, ...args: string[]) => runCommand(command, args, { cwd: copy });
const commitAll = async (): Promise<string> => {
  await run('git', 'add', '--all');
  await run(
    'git',
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    'commit',
    '--quiet',
    '--message',
    'Test',
  );
  return run('git', 'rev-parse', 'HEAD');
};

const synthesise = async (): Promise<SynthesisedStack> => {
  const outdir = await mkdtemp(join(copy, 'cdk.out-'));
  const env = {
    ...process.env,
    CDK_VALIDATION: 'false',
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: JSON.stringify(context),
  };
  await runCommand(process.execPath, ['bin/app.ts'], { cwd: copy, env });
  return JSON.parse(await readFile(join(outdir, 'vehicle-verification-prod.template.json'), 'utf8'));
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'stack-frame-'));
  for (const path of ['bin', 'core', 'functions', 'lib', 'stages', 'package.json', 'package-lock.json']) {
    await cp(join(ROOT, path), join(copy, path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(join(copy, '.gitignore'), 'node_modules\ncdk.out*\n');
  context = { ...JSON.parse(await readFile(join(ROOT, 'cdk.json'), 'utf8')).context, stage: 'prod' };
  await run('git', 'init', '--quiet');
});
afterAll(() => rm(copy, { recursive: true }));

// In this order: each test finds the repository as the one before it left it.
describe('A deployment', () => {
  let first: string;
  let deployed: SynthesisedStack;

  /** The hash in the description of a function's version. */
  const hashOf = (functionId: string) => {
    const versions = Object.entries(deployed.Resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Version');
    return String(versions.find(([id]) => id.startsWith(functionId))?.[1].Properties.Description);
  };
  const originOf = (frame: string, commit: string, hash = hashOf('usage')) =>
    run(process.execPath, 'bin/stack-frame.ts', 'usage', frame, '--commit', commit, '--hash', hash);

  it('outputs its commit with uncommitted changes, and that output only differs at another commit of the same code', async () => {
    first = await commitAll();
    deployed = await synthesise();
    expect(deployed.Outputs.Commit.Value).toBe(first);
    await writeFile(join(copy, 'notes.md'), 'No code.');
    const second = await commitAll();
    await writeFile(join(copy, 'notes.md'), 'Changed.');
    const { Outputs, ...others } = await synthesise();
    expect({ ...others, Outputs: { ...Outputs, Commit: deployed.Outputs.Commit } }).toEqual(deployed);
    expect(Outputs.Commit.Value).toBe(`${second} with uncommitted changes: M notes.md`);
  });

  it('has the source of each stack frame found by the commit, whatever is checked out since', async () => {
    const [words, file] = ['awsAttempts', 'core/observability/log.ts'];
    const lines = (await readFile(join(copy, 'cdk.out/functions/usage/index.js'), 'utf8')).split('\n');
    const line = lines.findIndex((text) => text.includes(words));
    const frame = `    at Object.respond (/var/task/index.js:${line + 1}:${(lines[line]?.indexOf(words) ?? 0) + 1})`;
    const source = await readFile(join(copy, file), 'utf8');
    const sourceLine = source.slice(0, source.indexOf(words)).split('\n').length;
    await writeFile(join(copy, file), source.replace(words, 'attempts'));
    const changed = await commitAll();
    expect(await originOf(frame, first)).toMatch(new RegExp(`^${file}:${sourceLine}:\\d+$`));
    await expect(originOf(frame, changed)).rejects.toThrow(/usage at .* is not what is deployed/);
    await expect(originOf(frame, 'nothing')).rejects.toThrow(/nothing/);
    expect(await originOf('index.js:99:1', first)).toBe('index.js:99:1: not in the bundle');
  });
});
