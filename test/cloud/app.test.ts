/** What `bin/app.ts` deploys: the bundles, and the commit in the template. */
import { existsSync } from 'node:fs';
import { cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import { type Bundles, bundleFunctions } from '../../lib/bundles.ts';
import { localEnvironment } from '../../local/environment.ts';
import { SINGLE_LOOKUPS } from '../support/lookups.ts';
import { runCommand } from '../support/program.ts';
import { useFolder } from '../support/use-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SILENT = { POWERTOOLS_LOG_LEVEL: 'SILENT' };

const inFolder = useFolder();
let bundles: Bundles;

beforeAll(async () => {
  bundles = await bundleFunctions(inFolder());
});

const sourceOf = (bundle: string) => readFile(join(bundle, 'index.js'), 'utf8');

describe('The bundles', () => {
  it.each(SINGLE_LOOKUPS)('of lookups are at most 90 kB gzipped: $id', async ({ id }) => {
    expect(gzipSync(await sourceOf(bundles[id])).length).toBeLessThanOrEqual(90_000);
  });

  it('keep the names of our functions, which stack traces show', async () => {
    const start = async () => createRequire(import.meta.url)(join(bundles.compliance, 'index.js'));
    const { stack } = await start().catch((error: Error) => error);
    expect(stack).toMatch(/MissingEnvironment.*\n +at environmentWith /);
  });

  it('contain the schema library only if the endpoint has an input.ts', async () => {
    for (const [id, bundle] of Object.entries(bundles)) {
      const hasInput = existsSync(join(ROOT, 'functions/endpoints', id, 'input.ts'));
      const hasLibrary = (await sourceOf(bundle)).includes('additionalProperties');
      expect({ id, hasLibrary }).toEqual({ id, hasLibrary: hasInput });
    }
  });

  it('need no package, and respond with 401 to a request without a key', async () => {
    Object.assign(process.env, localEnvironment('http://127.0.0.1:9', LOCAL_TABLE_NAMES), SILENT);
    for (const [id, bundle] of Object.entries(bundles)) {
      if (id === 'probe') continue;
      const { handler } = createRequire(import.meta.url)(join(bundle, 'index.js'));
      const http = { method: 'GET', path: '/' };
      const event = { rawPath: '/', headers: {}, requestContext: { http, requestId: 'r', timeEpoch: Date.now() } };
      expect(await handler(event, { getRemainingTimeInMillis: () => 10_000 })).toMatchObject({ statusCode: 401 });
    }
  });
});

const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

const inCopy = useFolder();
const git = (...args: string[]) => runCommand('git', args, { cwd: inCopy() });
const read = (file: string) => readFile(inCopy(file), 'utf8');

it('A deployment outputs its commit, and nothing else of it depends on the commit', async () => {
  for (const path of ['bin', 'core', 'functions', 'lib', 'stages', 'cdk.json', 'package.json']) {
    await cp(join(ROOT, path), inCopy(path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), inCopy('node_modules'));
  await git('init', '--quiet');
  await git(...AUTHOR, 'commit', '--quiet', '--allow-empty', '--message', 'Test');
  const commit = await git('rev-parse', 'HEAD');
  const CDK_CONTEXT_JSON = JSON.stringify(JSON.parse(await read('cdk.json')).context);
  const env = { ...process.env, CDK_VALIDATION: 'false', CDK_OUTDIR: inCopy('cdk.out'), CDK_CONTEXT_JSON };
  await runCommand(process.execPath, ['bin/app.ts'], { cwd: inCopy(), env });
  const template = await read('cdk.out/vehicle-verification-dev.template.json');
  expect(JSON.parse(template).Outputs.Commit.Value).toBe(`${commit} with uncommitted changes`);
  expect(template.split(commit)).toHaveLength(2);
}, 360_000);
