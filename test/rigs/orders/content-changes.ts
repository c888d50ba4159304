/** Content that is stored before, and the requests that change it. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { contentKeys } from '../../../core/content/content-store.ts';
import { contentTable } from '../../../core/content/content-table.ts';
import type { ContentFields, ContentItem } from '../../../core/content/item.ts';
import { TABLES } from './engine.ts';
import { type Caller, type Operation, type Requests, resultOf } from './operation.ts';
import { alone } from './run-side.ts';

/** The content of live keys. */
export const content = ({ db }: Caller) => contentTable(db, TABLES.content, 'live');

/** As if the list had so many members before: buckets end at position 511. */
const allocated = (list: string, positions: number) => (caller: Caller) => {
  const Item = { ...contentKeys('live').allocatorKey(list), allocated: positions };
  return caller.db.send(new PutCommand({ TableName: TABLES.content, Item }));
};

/** The fields that a side creates, and its Idempotency-Key. */
type Creation = Pick<ContentFields, 'slug'> & Partial<ContentFields> & { readonly idempotencyKey?: string };

const creating =
  (creationOf: (side: string) => Creation) =>
  (caller: Caller): Promise<ContentItem> => {
    const { idempotencyKey, ...fields } = creationOf(caller.side);
    const whole = { title: fields.slug, content: 'Text', domain: 'a.example', meta_description: '', ...fields };
    const idempotency = idempotencyKey === undefined ? undefined : { keyId: 'key', idempotencyKey };
    return content(caller).create(whole, idempotency, caller.moment);
  };

const seeding: Requests = [
  ...[allocated('all', 510), allocated('domain:a.example', 510), allocated('domain:b.example', 511)],
  ...['third', 'first', 'second'].map((slug) => creating(() => ({ slug }))),
  creating(() => ({ slug: 'other', domain: 'b.example' })),
];

/** Four items in two domains: `third` and `first` at the end of an older bucket, `second` in the newest one. */
export const seeded = await alone('e', seeding);

const seededItem = (nth: number): ContentItem => resultOf(seeded.outcomes[3 + nth]);
/** Three of them. */
export const [third, first, other] = [seededItem(0), seededItem(1), seededItem(3)];

const updating = (changesOf: (side: string) => Partial<ContentFields>, ifMatch?: string) => (caller: Caller) =>
  content(caller).update(first.id, changesOf(caller.side), ifMatch, caller.moment);

const removing = (idOf: (caller: Caller) => string) => (caller: Caller) =>
  content(caller).remove(idOf(caller), undefined, caller.moment);

const create = creating((side) => ({ slug: `new-${side}` }));
const moveAway = updating(() => ({ domain: 'b.example' }));
const retitled = (side: string) => ({ title: side });

/** The two sides of a pair write other values, but for slugs and Idempotency-Keys. */
const changes: Readonly<Record<string, Requests>> = {
  create: [create],
  'create with a slug': [creating((side) => ({ slug: 'new', title: side }))],
  'create with an Idempotency-Key': [creating(() => ({ slug: 'once', idempotencyKey: 'once' }))],
  'create with the key and another body': [creating(() => ({ slug: 'once', title: 'Other', idempotencyKey: 'once' }))],
  update: [updating(retitled)],
  'update if it matches': [updating(retitled, '"1"')],
  rename: [updating(() => ({ slug: 'new' }))],
  move: [moveAway],
  'move and return': [moveAway, updating(() => ({ domain: 'a.example' }))],
  delete: [removing(() => first.id)],
  'create, then delete another': [create, removing(() => first.id)],
  'create and delete': [create, removing(({ earlier }) => resultOf<ContentItem>(earlier[0]).id)],
};

export const contentChanges: readonly Operation[] = Object.entries(changes).map(([name, requests]) => ({
  name,
  requests,
}));
