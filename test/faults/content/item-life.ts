import type { ContentFields, ContentItem } from '../../../functions/content/item.ts';
import type { Reply } from '../../support/api.ts';
import { someFields } from '../../support/content.ts';
import type { Answered, Send } from './stubborn-client.ts';

/** Lists that all clients share, so that they meet on their counters. */
const DOMAINS = 7;
const ITEMS = '/v1/api/content';

/** What was acknowledged of one item that a client made, and everything that went otherwise than promised. */
export interface Life {
  /** As it was last acknowledged; undefined when its end was. */
  readonly item: ContentItem | undefined;
  /** Ids of items whose deletion was acknowledged. */
  readonly deleted: readonly string[];
  /** Acknowledged, repetitions included. */
  readonly creates: number;
  readonly updates: number;
  /** Changes whose answer was 404 or 412 because an earlier attempt had been applied: reading told. */
  readonly toldByReading: number;
  readonly surprises: readonly string[];
}

/** Keeps what one client is told of one item. */
const newLedger = (send: Send) => {
  const life = { deleted: [] as string[], creates: 0, updates: 0, toldByReading: 0, surprises: [] as string[] };

  const expect = (holds: boolean, what: string, { status }: Reply): void => {
    if (!holds) life.surprises.push(`${what}: ${status}`);
  };

  const read = async (id: string): Promise<ContentItem | undefined> => {
    const { reply } = await send('GET', `${ITEMS}/${id}`);
    expect(reply.status === 200 || reply.status === 404, 'reading an item', reply);
    return reply.status === 200 ? (reply.body as ContentItem) : undefined;
  };

  const create = async (fields: ContentFields, idempotencyKey: string): Promise<ContentItem> => {
    const { reply, lost } = await send('POST', ITEMS, {
      json: fields,
      headers: { 'Idempotency-Key': idempotencyKey },
    });
    life.creates += 1;
    expect(reply.status === 201, 'creating an item', reply);
    for (const earlier of lost)
      expect(earlier.text === reply.text, 'the same create answered otherwise before', earlier);
    return reply.body as ContentItem;
  };

  const update = async (item: ContentItem, title: string): Promise<ContentItem> => {
    const answered = await send('PUT', `${ITEMS}/${item.id}`, {
      json: { title },
      headers: { 'If-Match': `"${item.version}"` },
    });
    life.updates += 1;
    if (answered.reply.status === 200) return answered.reply.body as ContentItem;
    return updateToldByReading(answered, item, title);
  };

  /** Nobody else changes this item: one version further with our title, the update was ours. */
  const updateToldByReading = async ({ reply, inDoubt }: Answered, item: ContentItem, title: string) => {
    expect(inDoubt && reply.status === 412, 'updating an item', reply);
    const found = await read(item.id);
    expect(found?.title === title && found.version === item.version + 1, 'the item after an update in doubt', reply);
    life.toldByReading += 1;
    return found ?? item;
  };

  /** How many items the list of a slug has. */
  const listed = async ({ domain, slug }: ContentItem, expected: number): Promise<void> => {
    const { reply } = await send('GET', `${ITEMS}?domain=${domain}&slug=${slug}`);
    const { total, items } = reply.body as { readonly total: number; readonly items: readonly object[] };
    expect(total === expected && items.length === expected, `a list of ${total} where ${expected} should be`, reply);
  };

  /** A new item is at the beginning of its domain's list, behind at most what other clients have made meanwhile. */
  const listedInDomain = async ({ id, domain }: ContentItem): Promise<void> => {
    const { reply } = await send('GET', `${ITEMS}?domain=${domain}&limit=50`);
    const { items } = reply.body as { readonly items: readonly ContentItem[] };
    expect(items.filter((item) => item.id === id).length === 1, 'a new item in the list of its domain', reply);
  };

  const remove = async (item: ContentItem, guarded: boolean): Promise<void> => {
    const headers = guarded ? { 'If-Match': `"${item.version}"` } : {};
    const { reply, inDoubt } = await send('DELETE', `${ITEMS}/${item.id}`, { headers });
    if (reply.status === 404 && inDoubt) life.toldByReading += 1;
    else expect(reply.status === 204, 'deleting an item', reply);
    life.deleted.push(item.id);
    expect((await read(item.id)) === undefined, 'an item read after its deletion', reply);
    await listed(item, 0);
  };

  /** The same create once more: the same answer, whatever became of the item. */
  const createAgain = async (fields: ContentFields, created: ContentItem): Promise<void> => {
    const again = await create(fields, fields.slug);
    if (again.id !== created.id) life.surprises.push('another id for the same create');
  };

  return { life, create, createAgain, listed, listedInDomain, update, remove };
};

type Client = ReturnType<typeof newLedger>;
/** @returns the item as it was last acknowledged; undefined when that was its end */
type Course = (client: Client, fields: ContentFields) => Promise<ContentItem | undefined>;

const created: Course = async ({ create, listed }, fields) => {
  const item = await create(fields, fields.slug);
  await listed(item, 1);
  return item;
};

const updated: Course = async ({ create, update }, fields) =>
  update(await create(fields, fields.slug), `Changed ${fields.slug}`);

const updatedTwice: Course = async ({ create, update }, fields) => {
  const once = await update(await create(fields, fields.slug), `Changed ${fields.slug}`);
  return update(once, `Changed again ${fields.slug}`);
};

const createdAgain: Course = async ({ create, createAgain, listedInDomain }, fields) => {
  const item = await create(fields, fields.slug);
  await listedInDomain(item);
  await createAgain(fields, item);
  return item;
};

const replaced: Course = async ({ create, remove }, fields) => {
  await remove(await create(fields, fields.slug), true);
  return create({ ...fields, title: `Second ${fields.slug}` }, `${fields.slug} second`);
};

const deleted: Course = async ({ create, createAgain, remove }, fields) => {
  const item = await create(fields, fields.slug);
  await remove(item, false);
  await createAgain(fields, item);
  return undefined;
};

/** What becomes of ten items. */
const COURSES: readonly Course[] = [
  ...[updated, updated, updatedTwice],
  ...[replaced, deleted],
  createdAgain,
  ...[created, created, created, created],
];

/** One item from its creation on, by its number: a fifth end in deletion, of half of these the slug is used again. */
export const liveOneLife = async (send: Send, nth: number): Promise<Life> => {
  const client = newLedger(send);
  const fields = someFields(`d${nth % DOMAINS}.example`, `item-${nth}`);
  const course = COURSES[nth % COURSES.length] ?? created;
  let item: ContentItem | undefined;
  try {
    item = await course(client, fields);
  } catch (error) {
    client.life.surprises.push(error instanceof Error ? error.message : String(error));
  }
  return { ...client.life, item };
};
