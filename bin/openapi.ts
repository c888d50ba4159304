/** Writes everything that is generated from the endpoints: `npm run openapi`. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { recordExamples } from '../local/record-examples.ts';
import { errorListMarkdown } from '../openapi/error-list.ts';
import { openApiDocument } from '../openapi/published-document.ts';
import { strictDocument } from '../openapi/strict-document.ts';
import { readCommandLine } from './command-line.ts';

const WRITTEN = 'docs/examples.json, docs/openapi.json, docs/errors.md and client/src/api-types.ts';

readCommandLine(`Usage: npm run openapi
Records the example responses, and writes ${WRITTEN}.`);

const docs = new URL('../docs/', import.meta.url);

const writeJson = (file: URL, value: unknown) => writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

/** TypeScript types of a document. The generator is the client's: it needs the older TypeScript of that package. */
const apiTypes = (document: URL): string => {
  const folder = fileURLToPath(new URL('../client/', import.meta.url));
  const generator = `${folder}node_modules/openapi-typescript/bin/cli.js`;
  if (!existsSync(generator)) {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    execFileSync(npm, ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--silent'], { stdio: 'inherit' });
  }
  const options = [fileURLToPath(document), '--root-types', '--root-types-no-schema-prefix'];
  const types = execFileSync(process.execPath, [generator, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  // Lets editors complete known codes: TypeScript reduces `'A' | string` to `string`, not `'A' | (string & {})`.
  return String(types).replace(/("\)?) \| string\b/g, '$1 | (string & {})');
};

await writeJson(new URL('examples.json', docs), await recordExamples());
await writeJson(new URL('openapi.json', docs), openApiDocument());
await writeFile(new URL('errors.md', docs), errorListMarkdown());
// The client narrows entries of a bulk response, and knows every code.
const scratch = await mkdtemp(join(tmpdir(), 'openapi-'));
const strict = pathToFileURL(join(scratch, 'strict.json'));
await writeJson(strict, strictDocument());
await writeFile(new URL('../client/src/api-types.ts', docs), apiTypes(strict));
await rm(scratch, { recursive: true });
process.stdout.write(`Wrote ${WRITTEN}.\n`);
