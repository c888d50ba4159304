import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/program.ts';

/** Where what takes long to make is kept between runs. */
export const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

/**
 * Returns the folder of the programs of a virtual environment with these packages, as `schemathesis==4.32.5`. It is
 * made unless it has `program` already. @throws Error when Python or a package cannot be had
 */
export const pythonTools = async (program: string, ...packages: readonly string[]): Promise<string> => {
  const folder = join(CACHE, `python-${hash('sha256', packages.join(' ')).slice(0, 12)}`);
  const programs = join(folder, 'bin');
  if (!existsSync(join(programs, program))) {
    await runCommand('python3', ['-m', 'venv', '--clear', folder]);
    await runCommand(join(programs, 'pip'), ['install', '--quiet', ...packages]);
  }
  return programs;
};
