import { apiError } from '../../../core/problems.ts';
import { otherDomain, sampleItem } from './content-examples.ts';
import { CREATED_ID, EXAMPLE_TIME, type Example, problemExample, SAMPLE_ITEM_ID } from './example.ts';

const tyres = {
  title: 'Winter tyres',
  content: 'When to fit them, and when to take them off.',
  domain: 'news.example',
  slug: 'winter-tyres',
  meta_description: 'Tyres for the winter.',
};

const once = { 'Idempotency-Key': '2f1c6a7e-winter-tyres' };
const ofSampleItem = { id: SAMPLE_ITEM_ID };
const unknownItem: Omit<Example, 'request'> = {
  name: 'unknown',
  summary: 'An id that matches nothing',
  ...problemExample(apiError('CONTENT_NOT_FOUND')),
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
    ...problemExample(apiError('IDEMPOTENCY_CONFLICT')),
  },
  {
    name: 'slugTaken',
    summary: 'A slug that another item of the domain has',
    request: { body: { ...tyres, slug: 'motoring-news-45' } },
    ...problemExample(apiError('SLUG_TAKEN')),
  },
  {
    name: 'invalid',
    summary: 'An empty title and a slug of the wrong form',
    request: { body: { ...tyres, title: '', slug: 'Winter Tyres' } },
    ...problemExample(
      apiError('VALIDATION_FAILED', {
        issues: [
          { pointer: '/title', detail: 'must be a text of 1 to 200 characters that is not blank' },
          {
            pointer: '/slug',
            detail: 'must be lower-case letters and digits in groups joined by single hyphens, at most 200 characters',
          },
        ],
      }),
    ),
  },
  otherDomain({ body: tyres }, ['help.example']),
];

/** Updates of the sample item, which is at version 1 before them and 2 after. */
export const updateExamples: readonly Example[] = [
  {
    name: 'retitled',
    summary: 'A new title, whatever the version',
    request: { path: ofSampleItem, headers: { 'If-Match': '*' }, body: { title: 'MOT this week' } },
    status: 200,
    headers: { ETag: '"2"' },
    body: { ...sampleItem, title: 'MOT this week', version: 2 },
  },
  {
    name: 'changedMeanwhile',
    summary: 'A version that is no longer the current one',
    request: { path: ofSampleItem, headers: { 'If-Match': '"1"' }, body: { title: 'MOT this week' } },
    ...problemExample(apiError('PRECONDITION_FAILED', { currentVersion: 2, isQuoted: true })),
  },
  {
    name: 'slugTaken',
    summary: 'A slug that another item of the domain has',
    request: { path: ofSampleItem, body: { slug: 'motoring-news-44' } },
    ...problemExample(apiError('SLUG_TAKEN')),
  },
  {
    name: 'empty',
    summary: 'No field that an update can change',
    request: { path: ofSampleItem, body: { version: 7 } },
    ...problemExample(
      apiError('VALIDATION_FAILED', {
        issues: [{ pointer: '', detail: 'must have at least one of title, content, domain, slug, meta_description' }],
      }),
    ),
  },
  { ...unknownItem, request: { path: { id: 'nothing' }, body: { title: 'MOT this week' } } },
  otherDomain({ path: ofSampleItem, body: { domain: 'help.example' } }, ['news.example']),
];

/** Deletions, after the updates. */
export const deleteExamples: readonly Example[] = [
  {
    name: 'changedMeanwhile',
    summary: 'A version that is not the current one',
    request: { path: ofSampleItem, headers: { 'If-Match': '"1"' } },
    ...problemExample(apiError('PRECONDITION_FAILED', { currentVersion: 2, isQuoted: true })),
  },
  {
    name: 'deleted',
    summary: 'Deleted permanently, whatever the version',
    request: { path: ofSampleItem, headers: { 'If-Match': '*' } },
    status: 204,
  },
  { ...unknownItem, request: { path: { id: 'nothing' } } },
];
