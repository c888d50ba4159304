import { ContentItem } from '../../../core/content/item.ts';
import {
  BODY,
  CONTENT_FIELDS,
  contentIdPath,
  DOMAINS,
  type EndpointDocument,
  IF_MATCH,
  sampleItemPath,
} from '../document.ts';
import { input } from './input.ts';

export const document: EndpointDocument = {
  operationId: 'updateContent',
  description: `Omitted fields keep their value, so a full body replaces the item. \`id\`, \`created_at\`, \`updated_at\` and \`version\` are ignored. Every update increments \`version\`. ${IF_MATCH} ${DOMAINS} ${CONTENT_FIELDS} ${BODY}`,
  path: contentIdPath,
  ...input.schemas,
  response: ContentItem,
  success: 'The item as it is now, with its new version',
  responseHeaders: ['ETag'],
  examples: [
    {
      name: 'retitled',
      summary: 'A new title, whatever the version',
      request: { path: sampleItemPath, headers: { 'If-Match': '*' }, body: { title: 'MOT this week' } },
    },
    {
      name: 'changedMeanwhile',
      summary: 'A version that is no longer the current one',
      request: { path: sampleItemPath, headers: { 'If-Match': '"1"' }, body: { title: 'MOT this week' } },
    },
    {
      name: 'slugTaken',
      summary: 'A slug that another item of the domain has',
      request: { path: sampleItemPath, body: { slug: 'motoring-news-44' } },
    },
    {
      name: 'empty',
      summary: 'No field that an update can change',
      request: { path: sampleItemPath, body: { version: 7 } },
    },
    {
      name: 'unknown',
      summary: 'An id that matches nothing',
      request: { path: { id: 'nothing' }, body: { title: 'MOT this week' } },
    },
    {
      name: 'otherDomain',
      summary: 'A domain to which the key is not bound',
      domains: ['news.example'],
      request: { path: sampleItemPath, body: { domain: 'help.example' } },
    },
  ],
};
