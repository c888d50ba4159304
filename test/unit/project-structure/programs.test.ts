import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Runs only bundled, in CodeBuild; or is part of the others. */
const NO_PROGRAMS = ['bin/intake.ts', 'bin/stop-signals.ts'];
const PROGRAMS = ['bin/*.ts', 'bench/run.ts', 'test/outside/*/{run,write-promises}.ts', 'site/prepare.ts'];

it.each(globSync(PROGRAMS, { exclude: NO_PROGRAMS }))(
  '%s --help prints its usage, and does nothing else',
  (program) => {
    const { status, stdout, stderr } = spawnSync('bin/node', [program, '--help'], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Usage: .+\n/),
      stderr: '',
    });
  },
);
