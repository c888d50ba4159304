import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Reply } from '../support/send.ts';
import { expectProblem, expectStatus, expectSuccess } from './expectations.ts';
import type { HttpCaller } from './http-caller.ts';

/** A domain that no other test and no earlier run has used. */
const newDomain = () => `d${randomUUID().slice(0, 8)}.example`;

const item = (domain: string, slug: string, more: object = {}) => ({
  title: `Title of ${slug}`,
  content: 'Text: äöü €',
  domain,
  slug,
  ...more,
});

const idOf = ({ body }: Reply): string => String(body.id);
const itemsOf = ({ body }: Reply) =>
  body.items as { readonly id: string; readonly slug: string; readonly created_at: string }[];
const slugsOf = (reply: Reply) => itemsOf(reply).map(({ slug }) => slug);

/** Content, at both of its addresses. */
export const contentTests = (api: () => HttpCaller): void => {
  describe.each(['/v1/api/content', '/api/content'])('Content at %s', (base) => {
    const call: HttpCaller['call'] = (...request) => api().call(...request);

    it('creates, reads, updates and deletes an item', async () => {
      const domain = newDomain();
      const created = await call('POST', base, { json: item(domain, 'first') });
      expectSuccess(created, { ...item(domain, 'first'), version: 1, meta_description: '' }, 201);
      const location = `${base}/${idOf(created)}`;
      expect(created.headers.get('location')).toEqual(location);
      expect(created.headers.get('etag')).toBe('"1"');
      expectSuccess(await call('GET', location), created.body);
      const ifFirst = { headers: { 'If-Match': '"1"' } };
      const updated = await call('PUT', location, { json: { title: 'New' }, ...ifFirst });
      expectSuccess(updated, { title: 'New', content: 'Text: äöü €', version: 2 });
      expect(updated.headers.get('etag')).toBe('"2"');
      expectProblem(await call('PUT', location, { json: { title: 'X' }, ...ifFirst }), 412, 'PRECONDITION_FAILED');
      expectProblem(await call('DELETE', location, ifFirst), 412, 'PRECONDITION_FAILED');
      const ifAbsent = { headers: { 'If-None-Match': '*' } };
      expectProblem(await call('PUT', location, { json: { title: 'X' }, ...ifAbsent }), 412, 'PRECONDITION_FAILED');
      expectProblem(await call('PUT', location, { json: {} }), 400, 'VALIDATION_FAILED');
      const deleted = await call('DELETE', location);
      expectStatus(deleted, 204);
      expect(deleted.text).toBe('');
      for (const method of ['GET', 'DELETE']) expectProblem(await call(method, location), 404, 'CONTENT_NOT_FOUND');
      expectProblem(await call('PUT', location, { json: { title: 'X' } }), 404, 'CONTENT_NOT_FOUND');
    });

    it('lists in pages, newest first, with totals and by slug', async () => {
      const domain = newDomain();
      for (const slug of ['one', 'two', 'three']) {
        expectStatus(await call('POST', base, { json: item(domain, slug) }), 201);
      }
      const first = await call('GET', `${base}?domain=${domain}&limit=2`);
      expectSuccess(first, { total: 3, limit: 2, offset: 0 });
      const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
      expect(next.startsWith(`${base}?`)).toBe(true);
      const second = await call('GET', next);
      // Where the clock stands still, ids decide.
      const shown = [...itemsOf(first), ...itemsOf(second)].map(({ created_at, id }) => `${created_at} ${id}`);
      expect(shown).toEqual(shown.toSorted().toReversed());
      expect([...slugsOf(first), ...slugsOf(second)].toSorted()).toEqual(['one', 'three', 'two']);
      expect(next).toMatch(/&after=[\w-]+$/);
      expect(second.headers.get('link')).toBeNull();
      expectSuccess(second, { total: 3, offset: 0, next: null });
      expect(slugsOf(await call('GET', `${base}?domain=${domain}&slug=two`))).toEqual(['two']);
      for (const { id } of [...itemsOf(first), ...itemsOf(second)]) await call('DELETE', `${base}/${id}`);
      expectSuccess(await call('GET', `${base}?domain=${domain}`), { items: [], total: 0 });
    });

    it('allows a slug once per domain', async () => {
      const domain = newDomain();
      const first = await call('POST', base, { json: item(domain, 'taken') });
      expectProblem(await call('POST', base, { json: item(domain, 'taken') }), 409, 'SLUG_TAKEN');
      const other = await call('POST', base, { json: item(domain, 'free') });
      const place = `${base}/${idOf(other)}`;
      expectProblem(await call('PUT', place, { json: { slug: 'taken' } }), 409, 'SLUG_TAKEN');
      expectStatus(await call('DELETE', `${base}/${idOf(first)}`), 204);
      expectSuccess(await call('PUT', place, { json: { slug: 'taken' } }), { slug: 'taken', version: 2 });
    });

    it('creates one item for a request sent twice with the same Idempotency-Key', async () => {
      const domain = newDomain();
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await call('POST', base, { json: item(domain, 'once'), headers });
      expectSuccess(await call('POST', base, { json: item(domain, 'once'), headers }), first.body, 201);
      const others = [{ slug: 'other' }, { title: 'Other' }, { content: 'Other' }, { meta_description: 'Other' }];
      for (const other of others) {
        const json = item(domain, 'once', other);
        expectProblem(await call('POST', base, { json, headers }), 409, 'IDEMPOTENCY_CONFLICT');
      }
      expectSuccess(await call('GET', `${base}?domain=${domain}`), { total: 1 });
    });

    it('rejects an item with every issue', async () => {
      const json = item('a.example', 'Not A Slug', { title: 'a\u0000', extra: 1 });
      const errors = ['/title', '/slug', '/extra'].map((pointer) => expect.objectContaining({ pointer }));
      const body = { errors: expect.arrayContaining(errors) };
      expectProblem(await call('POST', base, { json }), 400, 'VALIDATION_FAILED', body);
    });

    it('rejects a page of no items', async () => {
      const errors = [{ parameter: 'limit' }];
      expectProblem(await call('GET', `${base}?limit=0`), 400, 'VALIDATION_FAILED', { errors });
    });

    it.each(['GET', 'DELETE'])('rejects %s of an item with a query parameter of another endpoint', async (method) => {
      const errors = [{ parameter: 'limit' }];
      expectProblem(await call(method, `${base}/${randomUUID()}?limit=5`), 400, 'VALIDATION_FAILED', { errors });
    });
  });
};
