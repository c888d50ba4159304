import { contentIdPath, type EndpointDocument, IF_MATCH } from '../document.ts';
import { input } from './input.ts';

export const document: EndpointDocument = {
  description: `The item is deleted permanently and its slug is free again; a second delete is 404. ${IF_MATCH}`,
  path: contentIdPath,
  ...input.schemas,
};
