/** Content that is stored before, and the requests that change it. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { contentKeys } from '../../core/content/content-entries.ts';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentFields, ContentItem } from '../../core/content/item.ts';
import type { Caller, Requests } from './caller.ts';
import { TABLES } from './engine.ts';
import { type Operation, resultOf } from './operation.ts';
import { alone } from './run-side.ts';

/** The content of live keys. */
export const content = ({ db }: Caller) => contentTable(db, TABLES.content, 'live');

const fields = (domain: string, slug: string, title = slug): ContentFields => ({
  ...{ title, content: 'Text', domain, slug, meta_description: '' },
});

/** As if the list had so many members before: buckets end at position 511. */
const allocated = (list: string, positions: number) => (caller: Caller) => {
  const Item = { ...contentKeys('live').allocatorKey(list), allocated: positions };
  return caller.db.send(new PutCommand({ TableName: TABLES.content, Item }));
};

const creating =
  (fieldsOf: (side: string) => ContentFields, idempotencyKey?: string) =>
  (caller: Caller): Promise<ContentItem> => {
    const repeatable = idempotencyKey === undefined ? undefined : { keyId: 'key', idempotencyKey };
    return content(caller).create(fieldsOf(caller.side), repeatable, caller.moment);
  };

const seeding: Requests = [
  ...[allocated('all', 510), allocated('domain:a.example', 510), allocated('domain:b.example', 511)],
  ...['third', 'first', 'second'].map((slug) => creating(() => fields('a.example', slug))),
  creating(() => fields('b.example', 'other')),
];

/** Four items in two domains: `third` and `first` at the end of an older bucket, `second` in the newest one. */
export const seeded = await alone('e', seeding);

const seededItem = (nth: number): ContentItem => resultOf(seeded.outcomes[3 + nth]);
/** Three of them. */
export const [third, first, other] = [seededItem(0), seededItem(1), seededItem(3)];

const change = (name: string, ...requests: Requests): Operation => ({ name, requests });

const create = creating((side) => fields('a.example', `new-${side}`));

const update = (changesOf: (side: string) => Partial<ContentFields>, ifMatch?: string) => (caller: Caller) =>
  content(caller).update(first.id, changesOf(caller.side), ifMatch, caller.moment);

const remove = (idOf: (caller: Caller) => string) => (caller: Caller) =>
  content(caller).remove(idOf(caller), undefined, caller.moment);

const moveAway = update(() => ({ domain: 'b.example' }));
const created = ({ earlier }: Caller): string => resultOf<ContentItem>(earlier[0]).id;

/** The two sides of a pair write other values, but for slugs and Idempotency-Keys. */
export const contentChanges: readonly Operation[] = [
  change('create', create),
  change(
    'create with a slug',
    creating((side) => fields('a.example', 'new', side)),
  ),
  change(
    'create with an Idempotency-Key',
    creating(() => fields('a.example', 'once'), 'once'),
  ),
  change(
    'create with the key and another body',
    creating(() => fields('a.example', 'once', 'Other'), 'once'),
  ),
  change(
    'update',
    update((side) => ({ title: side })),
  ),
  change(
    'update if it matches',
    update((side) => ({ title: side }), '"1"'),
  ),
  change(
    'rename',
    update(() => ({ slug: 'new' })),
  ),
  change('move', moveAway),
  change(
    'move and return',
    moveAway,
    update(() => ({ domain: 'a.example' })),
  ),
  change(
    'delete',
    remove(() => first.id),
  ),
  change('create and delete', create, remove(created)),
];
