/**
 * Plants defects and requires that the tests find them: `npm run test:defects`, with names of patches for some of them.
 *
 * Each patch in this folder is applied, by itself, to a temporary copy of the project. Above its diff it says in one
 * sentence what is wrong, then:
 * - Breaks: the promise, as docs/contract.md#usage, or the command of the CLI, as admin keys list
 * - Found by: the test file that fails, or a command
 * - Title: a pattern of test titles; one of these tests fails (optional, only for a test file)
 * - Prints: words that the command prints before it fails (only for a command)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../../..');
const INTERRUPTED = 130;
/** Errors of a patch that is no longer valid code. A test that they end has found nothing. */
const BROKEN_CODE = /^(Type|Reference|Syntax)Error\b|Exceeded timeout/;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const run = async (cwd: string, command: string, args: readonly string[]) => {
  const child = spawn(command, args, { cwd, signal: stop.signal, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { isSuccess: code === 0, stdout, output: stdout + stderr };
};

interface Defect {
  readonly name: string;
  readonly breaks: string;
  readonly foundBy: string;
  readonly title: string;
  /** Set when a command finds it. */
  readonly prints?: string;
}

/** @throws Error when the text above the diff does not say it */
const readDefect = (name: string): Defect => {
  const [head = ''] = readFileSync(join(import.meta.dirname, `${name}.patch`), 'utf8').split(/^(?:diff|---) /m);
  const find = (field: string) => new RegExp(`^${field}: (.+)$`, 'm').exec(head)?.[1];
  const required = (field: string): string => {
    const value = find(field);
    if (value === undefined) throw new Error(`${name}.patch: the line "${field}: …" is missing above the diff.`);
    return value;
  };
  const foundBy = required('Found by');
  const prints = foundBy.startsWith('test/') ? {} : { prints: required('Prints') };
  return { name, breaks: required('Breaks'), foundBy, title: find('Title') ?? '', ...prints };
};

const copyProject = async (copy: string): Promise<void> => {
  const { stdout } = await run(ROOT, 'git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
};

const jest = (copy: string, files: readonly string[], ...args: readonly string[]) => {
  // A bare jest does not run the project `client`.
  const projects = ['--selectProjects', 'unit', 'api', 'client'];
  return run(copy, 'npm', ['run', '--silent', 'jest', '--', ...args, '--runTestsByPath', ...files, ...projects]);
};

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly failureMessages: readonly string[] }[];
  }[];
}

/** Why a test file does not find a defect; undefined when one of its tests fails. */
const missedByTest = async (copy: string, { foundBy, title }: Defect): Promise<string | undefined> => {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const { output } = await jest(copy, [foundBy], '--json', `--outputFile=${report}`, '--testNamePattern', title);
  if (!existsSync(report)) return output;
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const ran = results.filter(({ status }) => status !== 'pending');
  if (ran.length === 0) return `no test ran:\n${output}`;
  const failures = ran.flatMap(({ failureMessages: [message] }) => message ?? []);
  if (failures.length === 0) return 'every test passes';
  const isFound = failures.some((message) => !BROKEN_CODE.test(message));
  return isFound ? undefined : `the code no longer works:\n${failures[0]}`;
};

/** Why a defect is not found; undefined when it is. */
const missed = async (copy: string, defect: Defect): Promise<string | undefined> => {
  const { name, foundBy, prints } = defect;
  const patch = join(import.meta.dirname, `${name}.patch`);
  const applied = await run(copy, 'git', ['apply', patch]);
  if (!applied.isSuccess) return `the patch no longer applies:\n${applied.output}`;
  try {
    if (prints === undefined) return await missedByTest(copy, defect);
    const { isSuccess, output } = await run(copy, 'sh', ['-c', foundBy]);
    if (isSuccess) return 'the command succeeds';
    return output.includes(prints) ? undefined : `the command fails otherwise:\n${output}`;
  } finally {
    if (!stop.signal.aborted) await run(copy, 'git', ['apply', '--reverse', patch]);
  }
};

/** The sections of a document, as `Breaks:` names them. */
const sectionsOf = (name: string): string[] => {
  const document = `docs/${name}.md`;
  const headings = [...readFileSync(join(ROOT, document), 'utf8').matchAll(/^##+ (.+)$/gm)];
  const anchors = headings.map(([, heading = '']) => heading.toLowerCase().replace(/[^a-z ]/g, ''));
  return anchors.map((anchor) => `${document}#${anchor.replaceAll(' ', '-')}`);
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Plants each defect and prints a line about it. @returns what is wrong, a text for each problem */
const plant = async (copy: string, defects: readonly Defect[]): Promise<string[]> => {
  const problems: string[] = [];
  for (const defect of defects) {
    const started = performance.now();
    const problem = await missed(copy, defect);
    const { name, breaks, foundBy } = defect;
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const outcome = problem === undefined ? 'found' : 'NOT FOUND';
    print(`${outcome}: ${name}, which breaks ${breaks}, by ${foundBy} in ${seconds} s`);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  return problems;
};

const main = async (given: readonly string[]): Promise<void> => {
  const patches = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.patch'));
  const defects = (given.length > 0 ? given : patches.map((file) => file.replace('.patch', ''))).map(readDefect);
  const files = [...new Set(defects.filter(({ prints }) => prints === undefined).map(({ foundBy }) => foundBy))];
  const copy = mkdtempSync(join(tmpdir(), 'planted-defects-'));
  try {
    await copyProject(copy);
    const { isSuccess, output } = files.length === 0 ? { isSuccess: true, output: '' } : await jest(copy, files);
    const problems = isSuccess ? await plant(copy, defects) : [`Tests fail without a planted defect:\n${output}`];
    const broken = new Set(defects.map(({ breaks }) => breaks));
    const safe = given.length > 0 ? [] : sectionsOf('contract').filter((section) => !broken.has(section));
    problems.push(...safe.map((section) => `No patch breaks ${section}.`));
    for (const problem of problems) print(`\n${problem}`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true });
  }
};

await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!stop.signal.aborted) throw error;
  process.exitCode = INTERRUPTED;
});
