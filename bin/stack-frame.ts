/** File and line of stack frames in a log: `npm run --silent stack-frame -- COMMIT FUNCTION index.js:LINE:COLUMN…`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { VERSION } from '../lib/version.ts';

const [commit = '', functionId = '', ...frames] = process.argv.slice(2);
const ARGUMENTS = 'COMMIT FUNCTION index.js:LINE:COLUMN…, as in docs/runbook.md';
if (commit === '--help' || commit === '--version') {
  process.stdout.write(commit === '--help' ? `Usage: npm run --silent stack-frame -- ${ARGUMENTS}\n` : `${VERSION}\n`);
  process.exit();
}
if (frames.length === 0) throw new Error(`say which: ${ARGUMENTS}`);
const root = mkdtempSync(join(tmpdir(), 'stack-frame-'));
const worktree = (...args: string[]) => execFileSync('git', ['worktree', ...args], { stdio: 'pipe' });

worktree('add', '--detach', root, commit);
try {
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  const module = await import(pathToFileURL(join(root, 'lib/cloud/bundles.ts')).href);
  const { bundleFunctions, bundleHash } = module as typeof import('../lib/cloud/bundles.ts');
  const bundles = await bundleFunctions(undefined, true);
  const bundle = new Map(Object.entries(bundles)).get(functionId);
  if (bundle === undefined) throw new Error(`there is no function ${functionId} at ${commit}`);
  process.stdout.write(`${bundleHash(bundle)}\n`);
  for (const frame of frames) {
    const [, name = 'index', line, column] = /(index|signing)\.js:(\d+):(\d+)/.exec(frame) ?? [];
    const map = new SourceMap(JSON.parse(readFileSync(join(bundle, `${name}.js.map`), 'utf8')));
    const origin = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in origin)) throw new Error(`no frame of the bundle: ${frame}`);
    const file = relative(root, resolve(bundle, origin.originalSource)).replace(/^.*(?=node_modules\/)/, '');
    process.stdout.write(`${file}:${origin.originalLine + 1}:${origin.originalColumn + 1}\n`);
  }
} finally {
  worktree('remove', '--force', root);
}
