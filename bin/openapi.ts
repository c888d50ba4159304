/** Writes everything that is generated from the endpoints: `npm run openapi`. */
import { writeFile } from 'node:fs/promises';
import { recordExamples } from '../lib/local/record-examples.ts';
import { generateApiTypes } from '../lib/openapi/api-types.ts';
import { openApiDocument } from '../lib/openapi/document.ts';
import { errorListMarkdown } from '../lib/openapi/error-list.ts';
import { recordedExamples } from '../lib/openapi/examples.ts';

const docs = new URL('../docs/', import.meta.url);
const document = new URL('openapi.json', docs);

const writeJson = (file: URL, value: unknown) => writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

const recording = await recordExamples();
await writeJson(new URL('examples.json', docs), recording);
await writeJson(document, openApiDocument({}, recordedExamples(recording)));
await writeFile(new URL('errors.md', docs), errorListMarkdown());
const types = generateApiTypes(document);
for (const folder of ['.', '../client/src/']) await writeFile(new URL('api-types.ts', new URL(folder, docs)), types);
process.stdout.write(
  'Wrote docs/examples.json, docs/openapi.json, docs/errors.md, docs/api-types.ts and client/src/api-types.ts.\n',
);
