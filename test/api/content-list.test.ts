import { describe, expect, it } from '@jest/globals';
import type { ContentItem } from '../../core/content/item.ts';
import type { Reply } from '../support/api.ts';
import { fillDomain, someFields } from '../support/content.ts';
import { testApi } from '../support/test-api.ts';

const PATH = '/v1/api/content';
const ITEMS = 45;
const newestFirst = Array.from({ length: ITEMS }, (_, index) => `item-${ITEMS - 1 - index}`);

const api = testApi(async ({ engine }) => {
  for (const domain of ['other.example', 'pages.example']) {
    await fillDomain(engine.client, engine.names.content, domain, ITEMS);
  }
});

const get = (path: string) => api.call('GET', path, { key: api.key });
const list = (query: string) => get(`${PATH}?${query}`);
const pageOf = ({ body }: Reply) => body as { items: ContentItem[]; total: number; limit: number; offset: number };
const slugsOf = (reply: Reply) => pageOf(reply).items.map(({ slug }) => slug);

/** Every value of a parameter: test/http/input.test.ts; every link: test/http/page-links.test.ts. */
describe('GET /v1/api/content', () => {
  it('returns the newest first, 20 by default, with the exact total', async () => {
    const reply = await list('domain=Pages.Example');
    expect(reply).toMatchObject({ status: 200, body: { total: ITEMS, limit: 20, offset: 0 } });
    expect(slugsOf(reply)).toEqual(newestFirst.slice(0, 20));
  });

  it('returns every item once when its next links are followed', async () => {
    const seen: string[] = [];
    let next: string | undefined = `${PATH}?domain=pages.example&limit=7`;
    while (next) {
      const reply: Reply = await get(next);
      seen.push(...slugsOf(reply));
      next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(newestFirst);
  });

  it('links to the next and the previous page, and to none beyond the ends', async () => {
    const link = (offset: number, rel: string) =>
      `<${PATH}?domain=pages.example&limit=20&offset=${offset}>; rel="${rel}"`;
    const { headers } = await list('domain=pages.example&limit=20&offset=20');
    expect(headers.get('link')).toBe(`${link(40, 'next')}, ${link(0, 'prev')}`);
    expect((await list('domain=pages.example&limit=100')).headers.get('link')).toBeNull();
  });

  it('returns an empty page past the end', async () => {
    const { body } = await list('domain=pages.example&offset=45');
    expect(body).toEqual({ items: [], total: ITEMS, limit: 20, offset: 45 });
    for (const offset of ['9007199254740991', '99999999999999999999999']) {
      expect((await list(`offset=${offset}`)).body).toMatchObject({ items: [], offset: 9007199254740991 });
    }
    expect((await list('domain=nobody.example')).body).toMatchObject({ items: [], total: 0 });
  });

  it('finds the item with a slug of a domain', async () => {
    const found = await list('domain=PAGES.example&slug=item-7');
    expect(found.body).toMatchObject({ total: 1, items: [{ slug: 'item-7' }] });
    expect((await list('domain=pages.example&slug=item-7&offset=1')).body).toMatchObject({ total: 1, items: [] });
    expect((await list('domain=pages.example&slug=nothing')).body).toMatchObject({ total: 0 });
  });

  it('lists every domain without a filter, and ignores unknown parameters', async () => {
    const { body } = await list('limit=1&colour=red&colour=blue');
    expect(body).toMatchObject({ total: 2 * ITEMS, items: [{ slug: newestFirst[0], domain: 'pages.example' }] });
  });

  it.each([
    ['limit=0', 'limit', 'must be at least 1'],
    ['limit=101', 'limit', 'must be at most 100'],
    ['limit=٣', 'limit', 'must be an integer in decimal digits'],
    ['offset=-1', 'offset', 'must be at least 0'],
    ['domain=a.example&domain=a.example&slug=x', 'domain', 'must not be given more than once'],
    ['slug=item-1', 'domain', expect.any(String)],
    ['domain=', 'domain', expect.any(String)],
  ])('returns 400 for ?%s and names %s: %s', async (query, parameter, detail) => {
    const { body } = await list(query);
    expect(body).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect((body as { errors: unknown }).errors).toEqual([{ parameter, detail }]);
  });

  it.each([
    ['over 5 MB', 'x', 51],
    ['that Lambda would not pass on', '"', 24],
  ])('rejects a page %s and names a limit that fits', async (what, character, count) => {
    const domain = `large-${what.length}.example`;
    const content = character.repeat(100_000);
    for (let n = 0; n < count; n += 1) {
      await api.call('POST', PATH, { key: api.key, json: { ...someFields(domain, `s${n}`), content } });
    }
    const { body } = await list(`domain=${domain}&limit=${count}`);
    expect(body).toMatchObject({ status: 400, code: 'PAGE_TOO_LARGE' });
    const fits = /limit of (\d+) fits/.exec((body as { detail: string }).detail)?.[1];
    expect((await list(`domain=${domain}&limit=${fits}`)).status).toBe(200);
  });
});
