import { apiError } from '../../../core/problems.ts';
import { EXAMPLE_TIME, type Example, type ExampleRequest, problemExample, SAMPLE_ITEM_ID } from './example.ts';

const stamped = { created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME, version: 1 };

const newsItem = (number: number, topic: string) => ({
  id: `6e657773-0000-4000-8000-0000000000${number}`,
  title: `Motoring news ${number}: ${topic}`,
  content: `What drivers should know about ${topic} this week. This is sample text number ${number}.`,
  domain: 'news.example',
  slug: `motoring-news-${number}`,
  meta_description: `Sample news about ${topic}.`,
  ...stamped,
});

/** The last sample item of its domain, as it is before anything changes it. */
export const sampleItem = newsItem(45, 'MOT');

/** A request with a key that is bound to other domains. */
export const otherDomain = (request: ExampleRequest, domains: readonly string[]): Example => ({
  name: 'otherDomain',
  summary: 'A domain to which the key is not bound',
  domains,
  request,
  ...problemExample(apiError('DOMAIN_FORBIDDEN', { domains })),
});

/** Pages of content. */
export const listExamples: readonly Example[] = [
  {
    name: 'page',
    summary: 'Two items from the middle of a domain',
    request: { query: { domain: 'news.example', limit: 2, offset: 20 } },
    status: 200,
    headers: {
      Link: '</v1/api/content?domain=news.example&limit=2&offset=22>; rel="next", </v1/api/content?domain=news.example&limit=2&offset=18>; rel="prev"',
    },
    body: { items: [newsItem(25, 'MOT'), newsItem(24, 'electric vehicles')], total: 45, limit: 2, offset: 20 },
  },
  {
    name: 'bySlug',
    summary: 'The item with a slug',
    request: { query: { domain: 'news.example', slug: 'motoring-news-45' } },
    status: 200,
    body: { items: [sampleItem], total: 1, limit: 20, offset: 0 },
  },
  {
    name: 'invalid',
    summary: 'A limit too large, and a slug without its domain',
    request: { query: { limit: 500, slug: 'motoring-news-45' } },
    ...problemExample(
      apiError('VALIDATION_FAILED', {
        issues: [
          { parameter: 'domain', detail: 'is required with slug' },
          { parameter: 'limit', detail: 'must be at most 100' },
        ],
      }),
    ),
  },
  otherDomain({ query: { domain: 'news.example' } }, ['help.example', 'shop.example']),
];

/** One item by its id. */
export const readExamples: readonly Example[] = [
  {
    name: 'item',
    summary: 'An item and its version',
    request: { path: { id: SAMPLE_ITEM_ID } },
    status: 200,
    headers: { ETag: '"1"' },
    body: sampleItem,
  },
  {
    name: 'unknown',
    summary: 'An id that matches nothing',
    request: { path: { id: 'nothing' } },
    ...problemExample(apiError('CONTENT_NOT_FOUND')),
  },
];
