import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/run-command.ts';
import { CACHE } from './cache.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

/** Installs SAM CLI, pinned with all it needs, into a virtual environment of its own, once. Gives the folder of `sam`. */
export const installSam = async (): Promise<string> => {
  const pins = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const environment = join(CACHE, `sam-cli-${pins}`);
  const programs = join(environment, 'bin');
  if (!existsSync(join(programs, 'sam'))) {
    await runCommand('python3', ['-m', 'venv', '--clear', environment]);
    await runCommand(join(programs, 'pip'), ['install', '--quiet', '--no-deps', '--requirement', REQUIREMENTS]);
  }
  return programs;
};
