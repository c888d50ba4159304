import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where what takes long to make is kept between runs. */
export const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

const run = (command: string, args: readonly string[]): void => {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}.`);
};

/**
 * A virtual environment with exactly the packages that a requirements file pins, made unless it has the program
 * already. Gives the folder of its programs. @throws Error when Python or a package cannot be had
 */
export const pythonTools = (requirements: string, program: string): string => {
  const pins = readFileSync(requirements);
  const name = `python-${createHash('sha256').update(pins).digest('hex').slice(0, 12)}`;
  const folder = join(CACHE, name);
  const programs = join(folder, 'bin');
  if (!existsSync(join(programs, program))) {
    run('python3', ['-m', 'venv', '--clear', folder]);
    run(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', requirements]);
  }
  return programs;
};
