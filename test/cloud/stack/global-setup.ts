import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SYNTHESISE = join(import.meta.dirname, 'synthesise.ts');

/** Synthesises the templates once, for all test files. @throws Error when one violates AwsSolutions */
export default async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'cloud-templates-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  // Read by templates.ts.
  process.env.CLOUD_TEMPLATES = join(folder, 'templates.json');
  // The CDK's own validation, which only warns, takes 280 MB and most of the time. `cdk deploy` runs it.
  const env = { ...process.env, CDK_VALIDATION: 'false' };
  await promisify(execFile)(process.execPath, [SYNTHESISE, process.env.CLOUD_TEMPLATES], { env });
};
