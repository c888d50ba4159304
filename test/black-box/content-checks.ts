import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Answer, Api } from './api.ts';
import { answers, type Check, refuses, succeeds } from './check.ts';

/** A domain that no other check and no earlier run has used. */
const newDomain = () => `d${randomUUID().slice(0, 8)}.example`;

const item = (domain: string, slug: string, more: object = {}) => ({
  title: `Title of ${slug}`,
  content: 'Text: äöü €',
  domain,
  slug,
  ...more,
});

const idOf = ({ body }: Answer): string => String(body.id);
const itemsOf = ({ body }: Answer) => body.items as { readonly id: string; readonly slug: string }[];

/** The life of an item at one address of the content endpoints. */
const lifeOfAnItem =
  (base: string) =>
  async ({ call }: Api) => {
    const domain = newDomain();
    const created = await call('POST', base, { json: item(domain, 'first') });
    succeeds(created, { ...item(domain, 'first'), version: 1, meta_description: '' }, 201);
    assert.equal(created.headers.location, `${base}/${idOf(created)}`);
    assert.equal(created.headers.etag, '"1"');
    const place = created.headers.location ?? '';
    const read = await call('GET', place);
    succeeds(read, created.body);
    const updated = await call('PUT', place, { json: { title: 'New' }, headers: { 'If-Match': '"1"' } });
    succeeds(updated, { title: 'New', content: 'Text: äöü €', version: 2 });
    assert.equal(updated.headers.etag, '"2"');
    refuses(
      await call('PUT', place, { json: { title: 'X' }, headers: { 'If-Match': '"1"' } }),
      412,
      'PRECONDITION_FAILED',
    );
    refuses(await call('DELETE', place, { headers: { 'If-Match': '"1"' } }), 412, 'PRECONDITION_FAILED');
    refuses(await call('PUT', place, { json: {} }), 400, 'VALIDATION_FAILED');
    const deleted = await call('DELETE', place);
    answers(deleted, 204);
    assert.equal(deleted.text, '');
    for (const method of ['GET', 'DELETE']) refuses(await call(method, place), 404, 'CONTENT_NOT_FOUND');
    refuses(await call('PUT', place, { json: { title: 'X' } }), 404, 'CONTENT_NOT_FOUND');
  };

const pages =
  (base: string) =>
  async ({ call }: Api) => {
    const domain = newDomain();
    for (const slug of ['one', 'two', 'three']) answers(await call('POST', base, { json: item(domain, slug) }), 201);
    const first = await call('GET', `${base}?domain=${domain}&limit=2`);
    succeeds(first, { total: 3, limit: 2, offset: 0 });
    assert.deepEqual(
      itemsOf(first).map(({ slug }) => slug),
      ['three', 'two'],
    );
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '') ?? [];
    assert.ok(next.startsWith(`${base}?`), `the next page is at ${next}`);
    const second = await call('GET', next);
    assert.deepEqual(
      itemsOf(second).map(({ slug }) => slug),
      ['one'],
    );
    assert.match(second.headers.link ?? '', /rel="prev"/);
    const bySlug = await call('GET', `${base}?domain=${domain}&slug=two`);
    assert.deepEqual(
      itemsOf(bySlug).map(({ slug }) => slug),
      ['two'],
    );
    for (const { id } of [...itemsOf(first), ...itemsOf(second)]) answers(await call('DELETE', `${base}/${id}`), 204);
    succeeds(await call('GET', `${base}?domain=${domain}`), { items: [], total: 0 });
  };

const slugsAreUnique =
  (base: string) =>
  async ({ call }: Api) => {
    const domain = newDomain();
    const first = await call('POST', base, { json: item(domain, 'taken') });
    refuses(await call('POST', base, { json: item(domain, 'taken') }), 409, 'SLUG_TAKEN');
    const other = await call('POST', base, { json: item(domain, 'free') });
    refuses(await call('PUT', `${base}/${idOf(other)}`, { json: { slug: 'taken' } }), 409, 'SLUG_TAKEN');
    answers(await call('DELETE', `${base}/${idOf(first)}`), 204);
    succeeds(await call('PUT', `${base}/${idOf(other)}`, { json: { slug: 'taken' } }), { slug: 'taken', version: 2 });
  };

const retriesAreSafe =
  (base: string) =>
  async ({ call }: Api) => {
    const domain = newDomain();
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await call('POST', base, { json: item(domain, 'once'), headers });
    const again = await call('POST', base, { json: item(domain, 'once'), headers });
    succeeds(again, first.body, 201);
    refuses(await call('POST', base, { json: item(domain, 'other'), headers }), 409, 'IDEMPOTENCY_CONFLICT');
    succeeds(await call('GET', `${base}?domain=${domain}`), { total: 1 });
  };

const faultsAreNamed =
  (base: string) =>
  async ({ call }: Api) => {
    refuses(await call('POST', base, { json: { title: '', extra: 1 } }), 400, 'VALIDATION_FAILED');
    refuses(await call('POST', base, { json: item('a.example', 'Not A Slug') }), 400, 'VALIDATION_FAILED', {
      errors: [{ pointer: '/slug' }],
    });
    refuses(
      await call('POST', base, { json: { ...item('a.example', 'nul'), title: 'a\u0000' } }),
      400,
      'VALIDATION_FAILED',
      {
        errors: [{ pointer: '/title' }],
      },
    );
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'slug=a']) {
      refuses(await call('GET', `${base}?${query}`), 400, 'VALIDATION_FAILED');
    }
    refuses(await call('GET', `${base}?limit=1&limit=2`), 400, 'VALIDATION_FAILED', {
      errors: [{ parameter: 'limit' }],
    });
  };

const checksAt = (base: string): Check[] => [
  { name: `${base}: an item is created, read, changed and deleted`, run: lifeOfAnItem(base) },
  { name: `${base}: pages, totals and slugs`, run: pages(base) },
  { name: `${base}: a slug belongs to one item of its domain`, run: slugsAreUnique(base) },
  { name: `${base}: a creation sent twice is done once`, run: retriesAreSafe(base) },
  { name: `${base}: every fault is named`, run: faultsAreNamed(base) },
];

/** Content, at both of its addresses. */
export const contentChecks: readonly Check[] = [...checksAt('/v1/api/content'), ...checksAt('/api/content')];
