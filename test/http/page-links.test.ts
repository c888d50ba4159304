import { describe, expect, it } from '@jest/globals';
import { pageLinks } from '../../functions/http/page-links.ts';

describe('The Link header of a page', () => {
  const at = (offset: number, total: number, filter: object = {}) =>
    pageLinks({ path: '/v1/api/content', limit: 10, offset, ...filter }, total);
  const link = (offset: number, relation: string) => `</v1/api/content?limit=10&offset=${offset}>; rel="${relation}"`;

  it.each([
    ['an empty list', 0, 0, undefined],
    ['an empty list, past its end', 5, 0, undefined],
    ['the only page', 0, 10, undefined],
    ['the first page', 0, 11, link(10, 'next')],
    ['a page in the middle', 10, 21, `${link(20, 'next')}, ${link(0, 'prev')}`],
    ['the last page', 11, 21, link(1, 'prev')],
    ['a page that begins within the first', 3, 13, link(0, 'prev')],
    ['a page past the end', 50, 21, link(11, 'prev')],
  ])('%s', (_title, offset, total, links) => {
    expect(at(offset, total)).toBe(links);
  });

  it('keeps the filter', () => {
    expect(at(0, 11, { domain: 'a.example', slug: 'a' })).toBe(
      '</v1/api/content?domain=a.example&slug=a&limit=10&offset=10>; rel="next"',
    );
  });
});
