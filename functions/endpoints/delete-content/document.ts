import {
  contentIdPath,
  type EndpointDocument,
  example,
  misplacedParameter,
  PRECONDITION_RULE,
  sampleItemPath,
} from '../document.ts';
import { input } from './input.ts';

export const document: EndpointDocument = {
  operationId: 'deleteContent',
  description: `The item is deleted permanently and its slug is free again; a second delete is 404. ${PRECONDITION_RULE}`,
  path: contentIdPath,
  ...input.schemas,
  success: 'The item is deleted; the response has no body',
  examples: [
    // After the examples of `update-content` the item has version 2.
    example('changedMeanwhile', 'A version that is not the current one', {
      path: sampleItemPath,
      headers: { 'If-Match': '"1"' },
    }),
    example('deleted', 'Deleted permanently, whatever the version', {
      path: sampleItemPath,
      headers: { 'If-Match': '*' },
    }),
    example('unknown', 'An id that matches nothing', { path: { id: 'nothing' } }),
    misplacedParameter(sampleItemPath),
  ],
};
