/** Schemathesis against the service on this machine: `npm run test:contract`. Needs Python 3.10 with venv. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonTools } from './python-tools.ts';
import { startServiceUnderTest } from './service.ts';

const here = (name: string) => join(import.meta.dirname, name);
const DOCUMENT = here('../../docs/openapi.json');
const EXAMPLES_PER_OPERATION = 200;
const SEED = 20_261_121;
/** What a shell reports for a process that a signal ended. */
const ENDED_BY_SIGNAL = 130;

const run = async (origin: string, key: string): Promise<number> => {
  const scratch = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  const config = ['--config-file', here('schemathesis.toml')];
  const target = [DOCUMENT, '--url', `${origin}/v1`, '--header', `X-API-Key: ${key}`];
  const extent = ['--checks', 'all', '--max-examples', String(EXAMPLES_PER_OPERATION), '--seed', String(SEED)];
  try {
    const child = spawn(
      join(pythonTools(here('requirements.txt')), 'schemathesis'),
      [...config, 'run', ...target, ...extent, '--continue-on-failure', ...process.argv.slice(2)],
      // It leaves a folder of its own where it runs.
      {
        cwd: scratch,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, SCHEMATHESIS_HOOKS: here('hooks.py') },
      },
    );
    const end = () => child.kill();
    process.once('SIGINT', end).once('SIGTERM', end);
    const [code] = await once(child, 'exit');
    return code ?? ENDED_BY_SIGNAL;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

const service = await startServiceUnderTest();
try {
  process.exitCode = await run(service.origin, service.key);
  const answers = [...service.answers].sort(([a], [b]) => a - b);
  process.stdout.write(`Answers by status: ${answers.map(([status, count]) => `${status} ${count}`).join(', ')}\n`);
  if (answers.some(([status]) => status === 429 || status >= 500)) process.exitCode = 1;
} finally {
  await service.stop();
}
