import { createHash } from 'node:crypto';
import type { ContentItem } from '../../../../core/content/item.ts';
import type { ImportedItem } from '../../../content-maintenance/imported-item.ts';
import { type Fingerprint, firstLines } from '../records/registrations.ts';

/** 64 of a hash's bits: among 1,000,000 keys two share them once in 37 million files. */
const fingerprintOf = (key: string): Fingerprint => {
  const hash = createHash('sha256').update(key).digest();
  return { high: hash.readUInt32BE(0), low: hash.readUInt32BE(4) };
};

const slugOf = ({ domain, slug }: ImportedItem): Fingerprint => fingerprintOf(`slug ${domain} ${slug}`);
/** What a row without an id is known by. */
const nameOf = ({ domain, slug }: ImportedItem): Fingerprint => fingerprintOf(`name ${domain} ${slug}`);
const idOf = (id: string): Fingerprint => fingerprintOf(`id ${id}`);

const repeats = (what: string, earlier: number | undefined): string[] =>
  earlier === undefined ? [] : [`${what} is on line ${earlier} already; an item may be on one line of a file only`];

/** Knows which row of a file speaks of an item first: a second one is rejected, so that loading it twice changes nothing. */
export const itemClaims = (expectedRows: number) => {
  const seen = firstLines(expectedRows);

  const claimSlug = (item: ImportedItem, line: number): number | undefined => {
    const earlier = seen.claim(slugOf(item), line);
    if (earlier === undefined && item.id === undefined) seen.claim(nameOf(item), line);
    return earlier;
  };

  return {
    /** Why an earlier row of the file excludes this one: items are written in no fixed order. */
    repeatsOf: (item: ImportedItem, line: number): string[] => [
      ...repeats('this slug of this domain', claimSlug(item, line)),
      ...(item.id === undefined ? [] : repeats('this id', seen.claim(idOf(item.id), line))),
    ],

    /**
     * Why a row must leave the stored item alone that it goes to by its id or slug: an earlier row goes to it by the
     * other. It may yet give up the slug that a later row wants.
     */
    skipReasonOf: (item: ImportedItem, stored: ContentItem): string | undefined => {
      const lineOf = (key: Fingerprint) => seen.find(key) ?? Number.POSITIVE_INFINITY;
      const [byId, byName] = [lineOf(idOf(stored.id)), lineOf(nameOf(stored))];
      const [own, other] = item.id === undefined ? [byName, byId] : [byId, byName];
      return repeats('this item', other < own ? other : undefined)[0];
    },
  };
};
