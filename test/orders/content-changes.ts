/** Content that is stored before, and the requests that change it. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addImportCommands } from '../../admin/import/import-commands.ts';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentFields, ContentItem } from '../../core/content/item.ts';
import { itemLine } from '../support/import-files.ts';
import { TABLES } from './engine.ts';
import { type Caller, type Operation, type Requests, resultOf, runCli } from './operation.ts';
import { alone } from './run-side.ts';

/** The content of live keys. */
export const content = ({ db }: Caller) => contentTable(db, TABLES.content, 'live');

/** The fields that a side creates, and its Idempotency-Key. */
type Creation = Pick<ContentFields, 'slug'> & Partial<ContentFields> & { readonly idempotencyKey?: string };

const creating =
  (creationOf: (side: string) => Creation) =>
  async (caller: Caller): Promise<ContentItem> => {
    const { idempotencyKey, ...fields } = creationOf(caller.side);
    const whole = { title: fields.slug, content: 'Text', domain: 'a.example', meta_description: '', ...fields };
    const idempotency = idempotencyKey === undefined ? undefined : { keyId: 'key', idempotencyKey };
    return (await content(caller).create(whole, idempotency, caller.moment)).item;
  };

const seeding: Requests = [
  ...['third', 'first', 'second'].map((slug) => creating(() => ({ slug }))),
  creating(() => ({ slug: 'other', domain: 'b.example' })),
];

/** Four items in two domains, older than what the sides create. */
export const seeded = await alone('1', seeding);

const first = resultOf<ContentItem>(seeded.outcomes[1]);

const folder = await mkdtemp(join(tmpdir(), 'orders-content-'));

/** Imports a file with one row. */
const importing = (slug: string, fields: object) => async (caller: Caller) => {
  const path = join(folder, `${slug}-${caller.side}.ndjson`);
  await writeFile(path, itemLine(slug, { domain: 'a.example', title: caller.side, ...fields }));
  const { loaded, unchanged, rejected } = (await runCli(
    addImportCommands,
    caller,
    'import',
    'content',
    path,
  )) as Record<string, unknown>;
  return { loaded, unchanged, rejected };
};

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
  'import of a slug': [importing('new', {})],
  'import of an id': [importing('new', { id: first.id })],
  'import of an older time': [importing('first', { id: first.id, created_at: '2020-01-01T00:00:00Z' })],
  'create, then delete another': [create, removing(() => first.id)],
  'create and delete': [create, removing(({ earlier }) => resultOf<ContentItem>(earlier[0]).id)],
};

export const contentChanges: readonly Operation[] = Object.entries(changes).map(([name, requests]) => ({
  name,
  requests,
}));
