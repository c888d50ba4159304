/** Writes what consumers read from the endpoint table: `npm run openapi`. */
import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../lib/openapi/document.ts';
import { errorListMarkdown } from '../lib/openapi/error-list.ts';

const docs = new URL('../docs/', import.meta.url);

await writeFile(new URL('openapi.json', docs), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
await writeFile(new URL('errors.md', docs), errorListMarkdown());
