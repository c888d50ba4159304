import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { countedLists } from '../counted-list/counted-list.ts';
import { backoffMs } from '../runtime/deadline.ts';
import { transact } from '../runtime/transact.ts';
import { InconsistentContent, type Moment } from './content-changes.ts';
import { ALL_ITEMS, domainList } from './content-items.ts';
import { contentReads } from './content-reads.ts';
import { contentWrites } from './content-writes.ts';
import type { ContentFields, ContentItem, StoredItem } from './item.ts';
import { SlugTaken } from './refusals.ts';

/** An item as a file gives it: the fields, and what the service sets itself where the file says that too. */
export interface ImportedItem extends ContentFields {
  readonly id?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly version?: number;
}

export type ImportOutcome = 'created' | 'replaced' | 'unchanged';

/** How often a row that goes by its slug is looked up again when others create or remove that item meanwhile. */
const MAX_RACES = 3;

const FIELDS = ['title', 'content', 'domain', 'slug', 'meta_description', 'created_at', 'updated_at'] as const;

const newItem = ({ version = 1, ...given }: ImportedItem, id: string, now: string): ContentItem => {
  const created_at = given.created_at ?? given.updated_at ?? now;
  return { ...given, id, created_at, updated_at: given.updated_at ?? created_at, version };
};

/**
 * The stored item with what the file says put in; undefined when that changes nothing. The version never stays or
 * falls when anything changes, whatever the file says: every change of an item is guarded by it.
 */
const replacement = (stored: ContentItem, given: ImportedItem, now: string): ContentItem | undefined => {
  const changes = FIELDS.some((field) => given[field] !== undefined && given[field] !== stored[field]);
  const version = given.version ?? 0;
  if (!changes && version <= stored.version) return undefined;
  return {
    ...stored,
    ...given,
    id: stored.id,
    updated_at: given.updated_at ?? now,
    version: Math.max(version, stored.version + 1),
  };
};

/** Loading of items that a file describes, one by one, beside everything else that changes them. */
export const contentImport = (db: DynamoDBClient, table: string) => {
  const lists = countedLists(db, table);
  const reads = contentReads(db, table, lists);
  const writes = contentWrites(table);

  /** Undefined when somebody else took the id meanwhile. */
  const create = async (item: ContentItem, { deadline }: Moment): Promise<'created' | undefined> => {
    const [all, domain] = await Promise.all([lists.allocate(ALL_ITEMS), lists.allocate(domainList(item.domain))]);
    const add = writes.addItem({ item, positions: { all, domain } });
    const claim = writes.claimSlug(item);
    const outcome = await transact(
      db,
      [claim, add, ...lists.append(ALL_ITEMS, all, item.id), ...lists.append(domainList(item.domain), domain, item.id)],
      deadline,
    );
    if (outcome.committed) return 'created';
    if (outcome.failed.has(add)) return undefined;
    throw outcome.failed.has(claim) ? new SlugTaken() : new InconsistentContent();
  };

  /** Undefined when somebody else changed the item meanwhile. */
  const replace = async (
    { item: old, positions }: StoredItem,
    item: ContentItem,
    { deadline }: Moment,
  ): Promise<'replaced' | undefined> => {
    const movesDomain = item.domain !== old.domain;
    const movesSlug = movesDomain || item.slug !== old.slug;
    const domain = movesDomain ? await lists.allocate(domainList(item.domain)) : positions.domain;
    const put = writes.replaceItem({ item, positions: { ...positions, domain } }, old);
    const claim = writes.claimSlug(item);
    const outcome = await transact(
      db,
      [
        put,
        ...(movesSlug ? [writes.releaseSlug(old), claim] : []),
        ...(movesDomain ? lists.remove(domainList(old.domain), positions.domain) : []),
        ...(movesDomain ? lists.append(domainList(item.domain), domain, item.id) : []),
      ],
      deadline,
    );
    if (outcome.committed) return 'replaced';
    if (outcome.failed.has(put)) return undefined;
    throw outcome.failed.has(claim) ? new SlugTaken() : new InconsistentContent();
  };

  const idBySlug = async ({ domain, slug }: ContentFields, { deadline }: Moment): Promise<string | undefined> =>
    (await reads.list({ domain, slug }, { offset: 0, limit: 1 }, deadline)).items[0]?.id;

  const putOnce = async (given: ImportedItem, moment: Moment): Promise<ImportOutcome | undefined> => {
    const now = moment.now.toISOString();
    const id = given.id ?? (await idBySlug(given, moment));
    const stored = id === undefined ? undefined : await reads.find(id);
    if (stored === undefined) return create(newItem(given, id ?? randomUUID(), now), moment);
    const item = replacement(stored.item, given, now);
    return item === undefined ? 'unchanged' : replace(stored, item, moment);
  };

  return {
    /**
     * Makes the item as it is given. With an id that item is replaced or made anew; without one it goes by domain and
     * slug. Giving the same again changes nothing, not even `updated_at`.
     * @throws SlugTaken when another item of the domain holds the slug, DeadlineExceeded
     */
    put: async (given: ImportedItem, moment: Moment): Promise<ImportOutcome> => {
      for (let tries = 0; ; tries += 1) {
        try {
          const outcome = await putOnce(given, moment);
          if (outcome !== undefined) return outcome;
        } catch (error) {
          const isRace = error instanceof SlugTaken && given.id === undefined && tries < MAX_RACES;
          if (!isRace) throw error;
        }
        await moment.deadline.pause(backoffMs(tries));
      }
    },
  };
};
