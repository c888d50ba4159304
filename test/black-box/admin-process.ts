import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Admin } from './prepare-target.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/admin.ts');

/** The operator CLI in a process of its own, always with the same options, as `--stack NAME`. */
export const adminProcess =
  (options: readonly string[], env: NodeJS.ProcessEnv, accepted: readonly number[] = [0]): Admin =>
  async (...args) => {
    const child = spawn(process.execPath, [PROGRAM, ...args, ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (!accepted.includes(code)) throw new Error(`admin ${args.slice(0, 2).join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
