import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/integration.md'), 'utf8');
const home = readFileSync(join(ROOT, 'site/index.md'), 'utf8');
/** The examples of a page in one language, in their order. */
const snippetsOf = (markdown: string, language: 'sh' | 'ts' | 'python' | 'json'): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}(?: \\[.*?\\])?\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  );
const scripts = snippetsOf(page, 'sh');
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const hasCurl = ['curl', 'bash'].every(isInstalled);

const inFolder = useFolder();
let service: LocalService;

const COMPILER = {
  // What Node 20 has.
  extends: join(ROOT, 'client/tsconfig.json'),
  compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
  include: ['*.ts'],
};

beforeAll(async () => {
  service = await startLocalService({ port: 0, dynamodbPort: 0 });
  for (const folder of ['client/src', 'core', 'csv']) {
    await cp(join(ROOT, folder), inFolder(folder), { recursive: true });
  }
  // A package can import itself by its name: the programs import the client's sources as its users import the package.
  const itself = { name: 'vehicle-verification', type: 'module', exports: './client/src/index.ts' };
  await writeFile(inFolder('package.json'), JSON.stringify(itself));
  await writeFile(inFolder('tsconfig.json'), JSON.stringify(COMPILER));
  const readme = readFileSync(join(ROOT, 'client/README.md'), 'utf8');
  const program = snippetsOf(readme, 'ts').join('\n').replace('https://api.example.com', service.origin);
  await writeFile(inFolder('readme.ts'), program);
});
afterAll(() => service.stop());

/** Runs a program to its end, with the keys of the service. @returns what it prints */
const run = (command: string, args: readonly string[], accepted = [0]): Promise<string> => {
  const credentials = {
    API_ORIGIN: service.origin,
    API_KEY: service.keys.plans.premium,
    API_TEST_KEY: service.keys.test,
    VEHICLE_VERIFICATION_BASE_URL: `${service.origin}/v1`,
    VEHICLE_VERIFICATION_API_KEY: service.keys.plans.premium,
  };
  return runCommand(command, args, { cwd: inFolder(), env: { ...process.env, ...credentials }, accepted });
};

describe('The TypeScript of client/README.md', () => {
  it('compiles against the client, which has the fields of the responses and no others', async () => {
    const source = "import type { Vehicle } from 'vehicle-verification';\nexport const f = (v: Vehicle) => v.colour;\n";
    await writeFile(inFolder('misread.ts'), source);
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const output = await run(process.execPath, [compiler, '--project', inFolder()], [1, 2]);
    expect(output.match(/error TS.*/g)).toEqual([expect.stringContaining("'colour' does not exist on type")]);
  });

  it('runs with the output that the page shows', async () => {
    const lines = (await run(process.execPath, [inFolder('readme.ts')])).split('\n');
    expect(lines[0]).toBe('true');
    expect(lines[1]).toMatch(/^true \d{4}-\d\d-\d\d$/);
    expect(lines.slice(2, 6)).toEqual(['true []', 'AB12 CDE true', 'KR08 NIL false', 'ZZ99 ZZZ VEHICLE_NOT_FOUND']);
    expect(lines.at(-1)).toMatch(/^INVALID_REGISTRATION The registration contains "!"/);
    expect(lines).toHaveLength(6 + 26 + 1);
  });
});

/** What differs from run to run: dates, times, ids, and how much of the window is used. */
const timeless = (json: string): unknown =>
  JSON.parse(
    json
      .replace(/"\d{4}-\d\d-\d\d(T[\d:.]+Z)?"/g, '"DATE"')
      .replace(/"(requestId|id)": ?"[^"]+"/g, '"$1":"ID"')
      .replace(/"(used|remaining)": ?\d+/g, '"$1":0'),
  );

/** As much of an answer as the guide shows: an array that ends with "…" has more entries than are shown. */
const abridged = (answer: unknown, shown: unknown): unknown => {
  if (Array.isArray(answer) && Array.isArray(shown)) {
    if (shown.at(-1) !== '…') return answer.map((entry, index) => abridged(entry, shown[index]));
    return [...answer.slice(0, shown.length - 1), ...(answer.length >= shown.length ? ['…'] : [])];
  }
  if (typeof answer !== 'object' || answer === null) return answer;
  const parts = (shown ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, abridged(value, parts[name])]));
};

const ANSWERED = /^```sh\n([^`]*)^```\n\n^```json\n([^`]*)^```$/gm;
const shownOf = new Map([...page.matchAll(ANSWERED)].map(([, script = '', shown = '']) => [script, shown]));

(hasCurl ? describe : describe.skip)('The curl of docs/integration.md', () => {
  it('comes before each response that is shown', () => {
    expect(scripts.filter((script) => shownOf.has(script))).toHaveLength(page.match(/^```json$/gm)?.length ?? 0);
  });

  it.each(scripts)('works, with the response that is shown: %s', async (script) => {
    const output = await run('bash', ['-euo', 'pipefail', '-c', script]);
    expect(output).not.toContain('"code":"UNAUTHORIZED"');
    const shown = shownOf.get(script);
    if (shown !== undefined) expect(abridged(timeless(output), timeless(shown))).toEqual(timeless(shown));
    if (!script.includes('ER19THR')) return;
    // The documented outcomes of the sandbox.
    expect(output.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429', 'HTTP/1.1 500']);
    expect(output.match(/^x-sandbox: true/gim)).toHaveLength(3);
    expect(output.match(/^retry-after: 1\r$/gim)).toHaveLength(2);
  });
});

describe('The home page of the site', () => {
  /** What the only program in a language prints, with a test key. */
  const printed = (language: 'sh' | 'ts' | 'python', command: string, ...args: string[]): Promise<string> => {
    const [program = '', ...more] = snippetsOf(home, language);
    expect(more).toEqual([]);
    const local = program.replaceAll('https://api.example.com', service.origin).replaceAll('API_KEY', 'API_TEST_KEY');
    return run(command, [...args, local]);
  };

  (hasCurl ? it : it.skip)('shows the answer to its request', async () => {
    const [shown = ''] = snippetsOf(home, 'json');
    expect(timeless(await printed('sh', 'bash', '-euo', 'pipefail', '-c'))).toEqual(timeless(shown));
  });

  it.each([
    ['ts', 'true', process.execPath, ['--input-type=module-typescript', '--eval']],
    ...(isInstalled('python3') ? [['python', 'True', 'python3', ['-c']] as const] : []),
  ] as const)('has a program in %s that prints what its last line says: %s', async (language, says, command, args) => {
    expect(snippetsOf(home, language)[0]).toMatch(new RegExp(` (//|#) ${says}\n$`));
    expect(await printed(language, command, ...args)).toBe(says);
  });
});
