import { ContentItem } from '../../../core/content/item.ts';
import {
  BODY_RULE,
  CONTENT_FIELD_RULES,
  contentIdPath,
  DOMAIN_RULE,
  type EndpointDocument,
  example,
  PRECONDITION_RULE,
  sampleItemPath,
} from '../document.ts';
import { input } from './input.ts';

export const document: EndpointDocument = {
  operationId: 'updateContent',
  description: `Omitted fields keep their value, so a full body replaces the item. \`id\`, \`created_at\`, \`updated_at\` and \`version\` are ignored. Every update increments \`version\`. ${PRECONDITION_RULE} ${DOMAIN_RULE} ${CONTENT_FIELD_RULES} ${BODY_RULE}`,
  path: contentIdPath,
  ...input.schemas,
  response: ContentItem,
  success: 'The item as it is now, with its new version',
  responseHeaders: ['ETag'],
  examples: [
    example('retitled', 'A new title, whatever the version', {
      path: sampleItemPath,
      headers: { 'If-Match': '*' },
      body: { title: 'MOT this week' },
    }),
    example('changedMeanwhile', 'A version that is no longer the current one', {
      path: sampleItemPath,
      headers: { 'If-Match': '"1"' },
      body: { title: 'MOT this week' },
    }),
    example('slugTaken', 'A slug that another item of the domain has', {
      path: sampleItemPath,
      body: { slug: 'motoring-news-44' },
    }),
    example('empty', 'No field that an update can change', { path: sampleItemPath, body: { version: 7 } }),
    example('unknown', 'An id that matches nothing', { path: { id: 'nothing' }, body: { title: 'MOT this week' } }),
    example(
      'otherDomain',
      'A domain to which the key is not bound',
      { path: sampleItemPath, body: { domain: 'help.example' } },
      ['news.example'],
    ),
  ],
};
