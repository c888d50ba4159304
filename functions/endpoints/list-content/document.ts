import * as T from 'typebox';
import { ContentItem } from '../../../core/content/item.ts';
import type { ContentPage } from '../../../core/content/page.ts';
import { type EndpointDocument, example, schemaOf } from '../document.ts';
import { input } from './input.ts';

const response = schemaOf<ContentPage>()(
  T.Object(
    {
      items: T.Array(ContentItem, { description: 'Newest first' }),
      total: T.Integer({ minimum: 0, description: 'Items that match the filter; exact while nobody changes the list' }),
      limit: T.Integer({ minimum: 1, maximum: 100 }),
      offset: T.Integer({ minimum: 0, description: '0 on a page by `after`' }),
      next: T.Union([T.String(), T.Null()], { description: '`after` of the next page; null on the last one' }),
    },
    { title: 'ContentPage' },
  ),
);

export const document: EndpointDocument = {
  operationId: 'listContent',
  description:
    'Newest first. To read a whole list, repeat the request with `after`, the `next` of the page before, until `next` is null: each item is then shown at most once, and each that stays in the list exactly once, whatever changes meanwhile. `slug` needs `domain`. For a key that is bound to one domain, a list without `domain` is of that one; a list of another domain, or without `domain` for a key that is bound to several, is 403 `DOMAIN_FORBIDDEN`. `offset` is at most 10,000; past the end is an empty page. A page over 5 MB is rejected, with a `limit` that fits. Unknown parameters are ignored; a known one given twice is rejected.',
  ...input.schemas,
  response,
  success: 'A page of items, and how many match in total; `next` and `Link` lead to the next page',
  responseHeaders: ['Link'],
  examples: [
    example('page', 'Two items from the middle of a domain', {
      query: { domain: 'news.example', limit: 2, offset: 20 },
    }),
    example('bySlug', 'The item with a slug', { query: { domain: 'news.example', slug: 'motoring-news-45' } }),
    example('invalid', 'A limit too large, and a slug without its domain', {
      query: { limit: 500, slug: 'motoring-news-45' },
    }),
    example('otherDomain', 'A domain to which the key is not bound', { query: { domain: 'news.example' } }, [
      'help.example',
      'shop.example',
    ]),
  ],
};
