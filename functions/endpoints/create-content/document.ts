import { ContentItem } from '../../../core/content/item.ts';
import { BODY_RULE, CONTENT_FIELD_RULES, DOMAIN_RULE, type EndpointDocument, example } from '../document.ts';
import { input } from './input.ts';

const tyres = {
  title: 'Winter tyres',
  content: 'When to fit them, and when to take them off.',
  domain: 'news.example',
  slug: 'winter-tyres',
  meta_description: 'Tyres for the winter.',
};

const once = { 'Idempotency-Key': '2f1c6a7e-winter-tyres' };

export const document: EndpointDocument = {
  operationId: 'createContent',
  description: `With an \`Idempotency-Key\`, the same request within 24 hours returns the same item and creates nothing; the same key with another body is 409. An API key that was rotated and its successor share their creations. ${DOMAIN_RULE} ${CONTENT_FIELD_RULES} ${BODY_RULE}`,
  ...input.schemas,
  response: ContentItem,
  success: 'The item that was created, at the address in `Location`',
  responseHeaders: ['Location', 'ETag', 'Idempotent-Replayed'],
  links: {
    ReadItem: { endpoint: 'read-content', description: 'Read the item' },
    UpdateItem: { endpoint: 'update-content', description: 'Update the item' },
    DeleteItem: { endpoint: 'delete-content', description: 'Delete the item' },
  },
  examples: [
    example('created', 'A new item, safe to send again', { headers: once, body: tyres }),
    example('keyUsedBefore', 'The same Idempotency-Key with another body', {
      headers: once,
      body: { ...tyres, title: 'Summer tyres', slug: 'summer-tyres' },
    }),
    example('slugTaken', 'A slug that another item of the domain has', {
      body: { ...tyres, slug: 'motoring-news-45' },
    }),
    example('invalid', 'An empty title and a slug of the wrong form', {
      body: { ...tyres, title: '', slug: 'Winter Tyres' },
    }),
    example('otherDomain', 'A domain to which the key is not bound', { body: tyres }, ['help.example']),
  ],
};
