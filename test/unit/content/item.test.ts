import { describe, expect, it } from '@jest/globals';
import { type ContentItem, etagOf, isAllowedDomain, isContentId, latest } from '../../../core/content/item.ts';
import { readPageQuery, requirePageFits } from '../../../core/content/page.ts';
import { changedFields, newFields } from '../../../core/content/schemas.ts';
import { domainForbidden, pageTooLarge } from '../../../core/problems.ts';

const ITEM: ContentItem = {
  id: '1',
  title: 'Title',
  content: '',
  domain: 'a.example',
  slug: 'a',
  meta_description: '',
  created_at: '2026-06-15T12:00:00.000Z',
  updated_at: '2026-06-15T12:00:00.000Z',
  version: 1,
};

describe('The query of a page', () => {
  it('returns the first 20 of all items by default', () => {
    expect(readPageQuery({})).toEqual({ limit: 20, offset: 0 });
  });

  it('compares the domain in lower case', () => {
    const query = { domain: 'A.Example', slug: 'a', limit: 2, offset: 3 };
    expect(readPageQuery(query)).toEqual({ ...query, domain: 'a.example' });
  });
});

describe('A key that is bound to domains', () => {
  const domainOf = (domains: readonly string[], domain?: string) =>
    readPageQuery(domain === undefined ? {} : { domain }, domains).domain;

  it('lists its only domain by default, and of several the one that it names', () => {
    expect(domainOf(['a.example'])).toBe('a.example');
    expect(domainOf(['a.example', 'b.example'], 'B.example')).toBe('b.example');
  });

  it.each([
    [['a.example', 'b.example'], undefined],
    [['a.example'], 'c.example'],
    [[], 'a.example'],
  ])('cannot list another domain, or every domain: %j, %s', (domains, asked) => {
    expect(() => domainOf(domains, asked)).toThrow(domainForbidden(domains));
  });

  it('has content of these domains only, not of their subdomains', () => {
    expect(isAllowedDomain(['a.example'], 'a.example')).toBe(true);
    expect(isAllowedDomain(['a.example'], 'x.a.example')).toBe(false);
    expect(isAllowedDomain(undefined, 'x.a.example')).toBe(true);
  });
});

describe('The fields of an item', () => {
  const sent = { title: 'T', content: 'C', domain: 'A.Example', slug: 's' };

  it('of a creation have the domain in lower case, and an empty description by default', () => {
    expect(newFields(sent)).toEqual({ ...sent, domain: 'a.example', meta_description: '' });
    expect(newFields({ ...sent, meta_description: 'D' }).meta_description).toBe('D');
  });

  it('of an update are those that were sent, without those that the service sets', () => {
    expect(changedFields({ title: 'T', id: 'mine', version: 9 })).toStrictEqual({ title: 'T' });
    expect(changedFields({ domain: 'A.Example' })).toStrictEqual({ domain: 'a.example' });
  });
});

const ID = '0192f3a4-5b6c-7d8e-9f01-23456789abcd';

it('An id is a UUID in lower case and nothing else', () => {
  const ids = [ID, ID.toUpperCase(), `${ID}0`, `0${ID}`, ID.replaceAll('-', ''), ID.slice(1), ID.slice(0, -1)];
  expect(ids.map(isContentId)).toEqual([true, false, false, false, false, false, false]);
});

describe('The size of a page', () => {
  /** An item whose JSON and the separator after it have this many bytes. */
  const itemOf = (bytes: number, character = 'x'): ContentItem => {
    const size = Buffer.byteLength(JSON.stringify(character)) - 2;
    const left = bytes - Buffer.byteLength(JSON.stringify(ITEM)) - 1;
    const content = character.repeat(Math.floor(left / size)) + 'x'.repeat(left % size);
    return { ...ITEM, content };
  };
  const small = itemOf(1_000);

  it('is at most 5,000,000 bytes of JSON', () => {
    expect(() => requirePageFits([small, itemOf(4_999_000)])).not.toThrow();
    expect(() => requirePageFits([small, itemOf(4_999_001)])).toThrow(pageTooLarge(1));
    expect(() => requirePageFits([itemOf(2_500_000), itemOf(2_400_000), small, itemOf(100_000)])).toThrow(
      pageTooLarge(3),
    );
  });

  it('is at most 6,200,000 bytes as a JSON string in the response of the function', () => {
    // A quote is 2 bytes of JSON and 4 bytes of JSON in a JSON string.
    const quotes = (bytes: number) => itemOf(bytes, '"');
    const encoded = (items: readonly ContentItem[]) =>
      items.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(JSON.stringify(item))) + 1, 0);
    const filled = quotes(2_000_000);
    const rest = 6_200_000 - encoded([filled]);
    const overhead = encoded([ITEM]);
    const last = { ...ITEM, content: 'x'.repeat(rest - overhead) };
    expect(encoded([filled, last])).toBe(6_200_000);
    expect(() => requirePageFits([filled, last])).not.toThrow();
    expect(() => requirePageFits([filled, { ...last, content: `${last.content}x` }])).toThrow(pageTooLarge(1));
  });
});

it('The entity tag of an item is its version in double quotes', () => expect(etagOf({ version: 7 })).toBe('"7"'));

it('The latest timestamp is found in any order', () => {
  const days = ['2026-06-15T12:00:00.000Z', '2026-06-16T12:00:00.000Z', '2026-06-14T12:00:00.000Z'];
  expect(latest(...days)).toEqual(days[1]);
  expect(latest(...days.toReversed())).toEqual(days[1]);
});
