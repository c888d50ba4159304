import { sampleItem } from './content-examples.ts';
import { CREATED_ID, EXAMPLE_TIME, type Example, refusal, SAMPLE_ITEM_ID } from './example.ts';

const tyres = {
  title: 'Winter tyres',
  content: 'When to fit them, and when to take them off.',
  domain: 'news.example',
  slug: 'winter-tyres',
  meta_description: 'Tyres for the winter.',
};

const SLUG_TAKEN = 'Another item of this domain has this slug; choose another slug or change that item.';
const once = { 'Idempotency-Key': '2f1c6a7e-winter-tyres' };
const ofSampleItem = { id: SAMPLE_ITEM_ID };
const unknownItem: Omit<Example, 'request'> = {
  name: 'unknown',
  summary: 'An id that matches nothing',
  ...refusal('CONTENT_NOT_FOUND', 'No content item has this id.'),
};

/** Creations, in an order in which each has what it needs. */
export const createExamples: readonly Example[] = [
  {
    name: 'created',
    summary: 'A new item, safe to send again',
    request: { headers: once, body: tyres },
    status: 201,
    headers: { Location: `/v1/api/content/${CREATED_ID}`, ETag: '"1"' },
    body: { id: CREATED_ID, ...tyres, created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME, version: 1 },
  },
  {
    name: 'keyUsedBefore',
    summary: 'The same Idempotency-Key with another body',
    request: { headers: once, body: { ...tyres, title: 'Summer tyres', slug: 'summer-tyres' } },
    ...refusal(
      'IDEMPOTENCY_CONFLICT',
      'This Idempotency-Key was used within 24 hours with another body; use a new key for a new item.',
    ),
  },
  {
    name: 'slugTaken',
    summary: 'A slug that another item of the domain holds',
    request: { body: { ...tyres, slug: 'motoring-news-45' } },
    ...refusal('SLUG_TAKEN', SLUG_TAKEN),
  },
  {
    name: 'invalid',
    summary: 'An empty title and a slug of the wrong form',
    request: { body: { ...tyres, title: '', slug: 'Winter Tyres' } },
    ...refusal('VALIDATION_FAILED', 'The request has 2 validation issues; see errors.', [
      { pointer: '/title', detail: 'must be a text of 1 to 200 characters that is not blank' },
      {
        pointer: '/slug',
        detail: 'must be lower-case letters and digits in groups joined by single hyphens, at most 200 characters',
      },
    ]),
  },
];

/** Updates of the sample item, which is at version 1 before them and 2 after. */
export const updateExamples: readonly Example[] = [
  {
    name: 'retitled',
    summary: 'A new title, if nobody changed the item meanwhile',
    request: { path: ofSampleItem, headers: { 'If-Match': '"1"' }, body: { title: 'MOT this week' } },
    status: 200,
    headers: { ETag: '"2"' },
    body: { ...sampleItem, title: 'MOT this week', version: 2 },
  },
  {
    name: 'changedMeanwhile',
    summary: 'The same again: the item is another version by now',
    request: { path: ofSampleItem, headers: { 'If-Match': '"1"' }, body: { title: 'MOT this week' } },
    ...refusal(
      'PRECONDITION_FAILED',
      'The item is at version 2, which If-Match does not name; read it again before changing it.',
    ),
  },
  {
    name: 'slugTaken',
    summary: 'A slug that another item of the domain holds',
    request: { path: ofSampleItem, body: { slug: 'motoring-news-44' } },
    ...refusal('SLUG_TAKEN', SLUG_TAKEN),
  },
  {
    name: 'empty',
    summary: 'Nothing that an update can change',
    request: { path: ofSampleItem, body: { version: 7 } },
    ...refusal('VALIDATION_FAILED', 'The request has 1 validation issue; see errors.', [
      { pointer: '', detail: 'must have at least one of title, content, domain, slug, meta_description' },
    ]),
  },
  { ...unknownItem, request: { path: { id: 'nothing' }, body: { title: 'MOT this week' } } },
];

/** Deletions, after the updates. */
export const deleteExamples: readonly Example[] = [
  {
    name: 'changedMeanwhile',
    summary: 'A version that the item no longer is',
    request: { path: ofSampleItem, headers: { 'If-Match': '"1"' } },
    ...refusal(
      'PRECONDITION_FAILED',
      'The item is at version 2, which If-Match does not name; read it again before changing it.',
    ),
  },
  { name: 'deleted', summary: 'Gone for good', request: { path: ofSampleItem }, status: 204 },
  { ...unknownItem, request: { path: { id: 'nothing' } } },
];
