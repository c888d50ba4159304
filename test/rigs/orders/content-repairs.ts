/** Repairs of content, and inconsistent content for them. */
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ContentReport } from '../../../admin/content/content-check.ts';
import { contentRepair } from '../../../admin/content/content-repair.ts';
import type { Inconsistency } from '../../../admin/content/content-scan.ts';
import { contentKeys } from '../../../core/content/content-store.ts';
import { first, other, seeded, third } from './content-changes.ts';
import { check } from './content-readers.ts';
import { type StoredState, TABLES } from './engine.ts';
import { type Caller, type Operation, type Requests, resultOf } from './operation.ts';
import { alone } from './run-side.ts';
import { nameOfFound } from './stored-content.ts';

const TableName = TABLES.content;
const { counterKey, memberKey, slugKey } = contentKeys('live');
const list = 'domain:a.example';

const put = (Item: object) => (caller: Caller) => caller.db.send(new PutCommand({ TableName, Item }));

const damaging: Requests = [
  put({ ...memberKey(list, 510), member: other.id }),
  put({ ...slugKey('a.example', 'third'), id: other.id }),
  put({ ...slugKey('a.example', 'free'), id: third.id }),
  ({ db }) => {
    const Key = counterKey('all', 0);
    const UpdateExpression = 'ADD members :one';
    return db.send(new UpdateCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues: { ':one': 1 } }));
  },
];

/**
 * The seeded content: `third` has lost its member and its claim to another item, a claim is left over, and the counter
 * of a bucket that nothing else is wrong with.
 */
export const damaged = await alone('d', damaging, seeded.stored);

/** What a check finds in content that nobody changes. */
export const checkAlone = async (stored: StoredState): Promise<ContentReport> =>
  resultOf((await alone('c', check.requests, stored)).outcomes[0]);

/** Repairs what a check has found, while it may have changed since. */
export const repair = (name: string, found: readonly Inconsistency[]): Operation => ({
  name: `repair of ${name}`,
  requests: found.map((inconsistency) => (caller) => contentRepair(caller.db, TableName, 'live')(inconsistency)),
  repaired: found.map(nameOfFound),
});

const { inconsistencies } = await checkAlone(damaged.stored);
const isOfClaim = ({ kind }: Inconsistency): boolean => kind.includes('claim');

export const repairs: readonly Operation[] = [
  repair('slug claims', inconsistencies.filter(isOfClaim)),
  repair(
    'a list',
    inconsistencies.filter((found) => !isOfClaim(found)),
  ),
];

const member = { list, position: 511, id: first.id };
const claim = { domain: 'a.example', slug: 'first', id: first.id };

/**
 * As if each had been found in the seeded content, which is consistent. What wrongly removes comes after what would put
 * it back.
 */
export const repairOfConsistent = repair('what is consistent', [
  { kind: 'missing slug claim', ...claim },
  { kind: 'orphaned slug claim', ...claim },
  { kind: 'missing member', ...member },
  { kind: 'orphaned member', ...member },
  { kind: 'allocator behind', list, allocated: 513 },
  { kind: 'miscounted bucket', list, bucket: 1, counter: 1, members: 2, changes: 1 },
]);
