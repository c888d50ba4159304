import type { EndpointDocument } from '../functions/endpoints/document.ts';
import { importFunctionFile } from '../functions/endpoints/endpoint-files.ts';
import { type EndpointId, endpoints } from '../functions/endpoints/table.ts';

const ids = Object.keys(endpoints) as EndpointId[];

export const documents = Object.fromEntries(
  await Promise.all(
    ids.map(async (id) => {
      const { document } = await importFunctionFile<{ readonly document: EndpointDocument }>(id, 'document.ts');
      return [id, document] as const;
    }),
  ),
) as Readonly<Record<EndpointId, EndpointDocument>>;
