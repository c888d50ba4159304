/** Which operation an answer leads to. */
import type { EndpointId } from '../../functions/endpoints.ts';
import type { JsonObject } from './json.ts';
import { operationIdOf } from './operation-id.ts';

const toItem = (id: EndpointId, description: string, from: string): JsonObject => ({
  operationId: operationIdOf(id),
  description,
  parameters: { id: from },
});

const itemLinks = (from: string): JsonObject => ({
  ReadItem: toItem('read-content', 'Read the item', from),
  UpdateItem: toItem('update-content', 'Update the item', from),
  DeleteItem: toItem('delete-content', 'Delete the item', from),
});

const links: Partial<Record<EndpointId, JsonObject>> = {
  'create-content': itemLinks('$response.body#/id'),
};

/** The operations that a successful answer leads to, as OpenAPI links. */
export const followUps = (id: EndpointId): JsonObject | undefined => links[id];
