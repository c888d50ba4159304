/** What a request may contain, and the issue of everything else. How requests are read: test/api/http.test.ts. */
import { expect, it } from '@jest/globals';
import * as T from 'typebox';
import { ContentQuery, CreateContent, UpdateContent } from '../../../core/content/schemas.ts';
import { validationIssues } from '../../../core/schemas/validation-issues.ts';
import { input as bulkInsurance } from '../../../functions/endpoints/bulk-insurance/input.ts';

const ITEM = { title: 'T', content: 'C', domain: 'a.example', slug: 's' };
/** The form of an `after`; of which list it is, is not looked at here. */
const AFTER = Buffer.from(`2026-07-01T12:00:00.000Z ${'0'.repeat(36)} digest`).toString('base64url');

it.each([
  ['title', /^must not contain U\+D83D, which is character 6$/, 'half \ud83d of a pair'],
  ['title', /^must not contain U\+FFFD, which is character 2$/, '🚗\ufffd'],
  ['title', /^must be a text of 1 to 200 characters/, '🚗'.repeat(201)],
  ['title', /that is not blank$/, '\u200b\u2060 \ufeff\u00ad'],
  ['content', /that is not blank$/, ''],
  ['content', /^must not contain U\+000B, which is character 7$/, 'line\r\n\u000bline'],
  ['content', /^must be at most 100,000 bytes of UTF-8, not 100001$/, `${'é'.repeat(50_000)}x`],
  ['meta_description', /^must not contain U\+0085, which is character 1$/, '\u0085'],
  ['meta_description', /^must be a string$/, null],
  ['meta_description', /^must be a text of at most 500 characters/, 'x'.repeat(501)],
  ['domain', /at most 253 characters$/, 'a'.repeat(254)],
  ['domain', /labels joined by dots/, 'a..b'],
  // Too long and of the wrong form: one issue.
  ['slug', /at most 200 characters$/, '-'.repeat(201)],
  // Too long and with a character that is not allowed: one issue, which names the character.
  ['meta_description', /^must not contain U\+0085, which is character 1$/, `\u0085${'x'.repeat(500)}`],
  ['slug', /single hyphens/, 'a--b'],
  ['slug', /single hyphens/, 'a\n'],
  ['id', /^is not a field of this request$/, 'mine'],
])('A new item has one issue with this %s: %s', (field, detail, value) => {
  const issues = validationIssues(CreateContent, { ...ITEM, [field]: value });
  expect(issues).toEqual([{ pointer: `/${field}`, detail: expect.stringMatching(detail) }]);
});

const REQUIRED = 'is required';
const UNKNOWN = 'is not a field of this request';
const NO_FIELD = 'must have at least one of title, content, domain, slug, meta_description';
const EXCLUDED = 'must not be given with `after`';
const NO_DAY = 'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD';
const TOO_FAR = { pointer: '/offset', detail: expect.stringMatching(/^must be at most 10000; .*`after`/) };
const OTHER_NAME = T.Object({ 'a/b~c': T.String({ maxLength: 1, description: 'one character' }) });

const BULK = bulkInsurance.schemas.body;
const every = (pointers: readonly string[], detail: string) => pointers.map((pointer) => ({ pointer, detail }));

it.each<[string, object, T.TSchema, readonly { readonly pointer: string; readonly detail: unknown }[]]>([
  ['A new item', ITEM, CreateContent, []],
  ['A new item', {}, CreateContent, every(['/title', '/content', '/domain', '/slug'], REQUIRED)],
  ['A new item', { ...ITEM, 'a/b~c': 1, d: 1 }, CreateContent, every(['/a~1b~0c', '/d'], UNKNOWN)],
  ['A field', { 'a/b~c': 'xx' }, OTHER_NAME, every(['/a~1b~0c'], 'must be one character')],
  ['A field', {}, OTHER_NAME, every(['/a~1b~0c'], REQUIRED)],
  ['An update', { slug: 's', id: 'ignored' }, UpdateContent, []],
  ['An update', { id: 'ignored' }, UpdateContent, every([''], NO_FIELD)],
  ['A page query', { limit: 5, after: AFTER }, ContentQuery, []],
  ['A page query', { domain: 'a.example', slug: '7', limit: 100, offset: 10_000 }, ContentQuery, []],
  ['A page query', { slug: '7' }, ContentQuery, every(['/domain'], 'is required with slug')],
  ['A page query', { offset: -1 }, ContentQuery, every(['/offset'], 'must be at least 0')],
  ['A page query', { limit: 101 }, ContentQuery, every(['/limit'], 'must be at most 100')],
  ['A page query', { offset: 10_001 }, ContentQuery, [TOO_FAR]],
  [
    'A page query',
    { after: 'A' },
    ContentQuery,
    every(['/after'], 'must be `next` of an earlier page of the same list'),
  ],
  ['A page query', { offset: 0, after: AFTER }, ContentQuery, every(['/offset'], EXCLUDED)],
  ['A page query', { offset: 10_001, after: AFTER }, ContentQuery, [...every(['/offset'], EXCLUDED), TOO_FAR]],
  ['A page query', { domain: 'a.example', slug: 's', after: AFTER }, ContentQuery, every(['/slug'], EXCLUDED)],
  ['A bulk request', { registrations: [] }, BULK, every(['/registrations'], 'must have 1 or more entries')],
  ['A bulk request', { registrations: ['A1'], date: '2020-02-29' }, BULK, []],
  ['A bulk request', { registrations: ['A1'], date: '2020-02-30' }, BULK, every(['/date'], NO_DAY)],
])('%s has every issue, at its JSON Pointer: %j', (_what, value, schema, issues) => {
  expect(validationIssues(schema, value)).toEqual(issues);
});
