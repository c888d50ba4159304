import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkCall } from '../../support/fork.ts';
import { STAGES } from './stages.ts';
import type { Synthesised } from './templates.ts';

/** Synthesises the templates once, for all test files. @throws Error when one violates AwsSolutions */
export default async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'cloud-templates-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  // The CDK's own validation, which only warns, takes 280 MB and most of the time. `cdk deploy` runs it.
  const options = { environment: { CDK_VALIDATION: 'false' } };
  const module = new URL('./synthesise.ts', import.meta.url);
  const { result, stop } = await forkCall<Synthesised>(module, 'synthesise', [STAGES], options);
  await stop();
  // Read by templates.ts.
  process.env.CLOUD_TEMPLATES = join(folder, 'templates.json');
  writeFileSync(process.env.CLOUD_TEMPLATES, JSON.stringify(result));
};
