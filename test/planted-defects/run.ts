/**
 * `npm run test:planted`: plants defects and requires that the tests find them. Each patch in this folder is applied to a copy
 * of this project. Its text above the first `diff` says with which command the defect is found, and which words the command
 * then prints before it fails.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runCommand } from '../support/run-command.ts';

const ROOT = join(import.meta.dirname, '../..');

/** @throws Error when the text above the diff does not say it */
const lineOf = (patch: string, name: string): string => {
  const found = new RegExp(`^${name}: (.+)$`, 'm').exec(patch.slice(0, patch.indexOf('\ndiff ')))?.[1];
  if (found === undefined) throw new Error(`a line "${name}: …" is missing above the diff`);
  return found;
};

const copyProject = async (folder: string): Promise<void> => {
  const kept = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = (await runCommand('git', kept, { cwd: ROOT })).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
};

/** What is wrong; undefined when the defect is found. */
const problemWith = async (file: string): Promise<string | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  try {
    const patch = readFileSync(file, 'utf8');
    const [command, words] = [lineOf(patch, 'Found by'), lineOf(patch, 'Prints')];
    await copyProject(folder);
    await runCommand('git', ['apply', file], { cwd: folder });
    const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' });
    if (status === 0) return `"${command}" does not find it`;
    return stdout.includes(words) || stderr.includes(words)
      ? undefined
      : `"${command}" fails otherwise:\n${stdout}${stderr}`;
  } catch (error) {
    return String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const patches = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.patch'));
for (const file of patches) {
  const problem = await problemWith(join(import.meta.dirname, file));
  process.stdout.write(`${problem === undefined ? 'found' : 'NOT FOUND'}  ${basename(file, '.patch')}\n`);
  if (problem === undefined) continue;
  process.stdout.write(`${problem}\n`);
  process.exitCode = 1;
}
