/** Writes the documents that are generated from the endpoint table: `npm run openapi`. */
import { writeFile } from 'node:fs/promises';
import { generateApiTypes } from '../lib/openapi/api-types.ts';
import { openApiDocument } from '../lib/openapi/document.ts';
import { errorListMarkdown } from '../lib/openapi/error-list.ts';

const docs = new URL('../docs/', import.meta.url);
const document = new URL('openapi.json', docs);

await writeFile(document, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
await writeFile(new URL('errors.md', docs), errorListMarkdown());
const types = generateApiTypes(document);
for (const folder of ['.', '../client/src/']) await writeFile(new URL('api-types.ts', new URL(folder, docs)), types);
process.stdout.write('Wrote docs/openapi.json, docs/errors.md, docs/api-types.ts and client/src/api-types.ts.\n');
