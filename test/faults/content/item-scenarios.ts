import type { ContentFields, ContentItem } from '../../../functions/content/item.ts';
import type { Reply } from '../../support/api.ts';
import { someFields } from '../../support/content.ts';
import type { Answered, Send } from './retrying-client.ts';

/** Lists that all clients share, so that they write the same counters. */
const DOMAINS = 7;
const ITEMS = '/v1/api/content';

/** What one client was acknowledged about one item, and every response that it should not have got. */
export interface ItemHistory {
  /** As it was last acknowledged; undefined when its deletion was. */
  readonly item: ContentItem | undefined;
  /** Ids of items whose deletion was acknowledged. */
  readonly deleted: readonly string[];
  readonly surprises: readonly string[];
}

/** One client's work on one item, with every response checked. */
const newClient = (send: Send) => {
  const history = { deleted: [] as string[], surprises: [] as string[] };

  const expectThat = (holds: boolean, what: string, { status }: Reply): void => {
    if (!holds) history.surprises.push(`${what}: ${status}`);
  };

  const read = async (id: string): Promise<ContentItem | undefined> => {
    const { reply } = await send('GET', `${ITEMS}/${id}`);
    expectThat(reply.status === 200 || reply.status === 404, 'reading an item', reply);
    return reply.status === 200 ? (reply.body as ContentItem) : undefined;
  };

  const create = async (fields: ContentFields, idempotencyKey: string): Promise<ContentItem> => {
    const { reply, lost } = await send('POST', ITEMS, {
      json: fields,
      headers: { 'Idempotency-Key': idempotencyKey },
    });
    expectThat(reply.status === 201, 'creating an item', reply);
    for (const earlier of lost) expectThat(earlier.text === reply.text, 'another response to the same create', earlier);
    return reply.body as ContentItem;
  };

  const update = async (item: ContentItem, title: string): Promise<ContentItem> => {
    const answered = await send('PUT', `${ITEMS}/${item.id}`, {
      json: { title },
      headers: { 'If-Match': `"${item.version}"` },
    });
    if (answered.reply.status === 200) return answered.reply.body as ContentItem;
    return findUpdated(answered, item, title);
  };

  /** Nobody else changes this item: with our title and the next version, the update was ours. */
  const findUpdated = async ({ reply, inDoubt }: Answered, item: ContentItem, title: string) => {
    expectThat(inDoubt && reply.status === 412, 'updating an item', reply);
    const found = await read(item.id);
    expectThat(
      found?.title === title && found.version === item.version + 1,
      'the item after an update in doubt',
      reply,
    );
    return found ?? item;
  };

  /** Checks how many items the list of a slug has. */
  const listed = async ({ domain, slug }: ContentItem, expected: number): Promise<void> => {
    const { reply } = await send('GET', `${ITEMS}?domain=${domain}&slug=${slug}`);
    const { total, items } = reply.body as { readonly total: number; readonly items: readonly object[] };
    expectThat(
      total === expected && items.length === expected,
      `a list of ${total} where ${expected} should be`,
      reply,
    );
  };

  /** A new item is at the beginning of its domain's list, behind at most what other clients have made meanwhile. */
  const listedInDomain = async ({ id, domain }: ContentItem): Promise<void> => {
    const { reply } = await send('GET', `${ITEMS}?domain=${domain}&limit=50`);
    const { items } = reply.body as { readonly items: readonly ContentItem[] };
    expectThat(items.filter((item) => item.id === id).length === 1, 'a new item in the list of its domain', reply);
  };

  const remove = async (item: ContentItem, guarded: boolean): Promise<void> => {
    const headers = guarded ? { 'If-Match': `"${item.version}"` } : {};
    const { reply, inDoubt } = await send('DELETE', `${ITEMS}/${item.id}`, { headers });
    expectThat(reply.status === 204 || (reply.status === 404 && inDoubt), 'deleting an item', reply);
    history.deleted.push(item.id);
    expectThat((await read(item.id)) === undefined, 'an item read after its deletion', reply);
    await listed(item, 0);
  };

  /** The same create again has the same response, even after the item was deleted. */
  const createAgain = async (fields: ContentFields, created: ContentItem): Promise<void> => {
    const again = await create(fields, fields.slug);
    if (again.id !== created.id) history.surprises.push('another id for the same create');
  };

  return { history, create, createAgain, listed, listedInDomain, update, remove };
};

type Client = ReturnType<typeof newClient>;
/** @returns the item as it was last acknowledged; undefined when it was deleted */
type Scenario = (client: Client, fields: ContentFields) => Promise<ContentItem | undefined>;

const created: Scenario = async ({ create, listed }, fields) => {
  const item = await create(fields, fields.slug);
  await listed(item, 1);
  return item;
};

const updated: Scenario = async ({ create, update }, fields) =>
  update(await create(fields, fields.slug), `Changed ${fields.slug}`);

const updatedTwice: Scenario = async ({ create, update }, fields) => {
  const once = await update(await create(fields, fields.slug), `Changed ${fields.slug}`);
  return update(once, `Changed again ${fields.slug}`);
};

const createdAgain: Scenario = async ({ create, createAgain, listedInDomain }, fields) => {
  const item = await create(fields, fields.slug);
  await listedInDomain(item);
  await createAgain(fields, item);
  return item;
};

const replaced: Scenario = async ({ create, remove }, fields) => {
  await remove(await create(fields, fields.slug), true);
  return create({ ...fields, title: `Second ${fields.slug}` }, `${fields.slug} second`);
};

const deleted: Scenario = async ({ create, createAgain, remove }, fields) => {
  const item = await create(fields, fields.slug);
  await remove(item, false);
  await createAgain(fields, item);
  return undefined;
};

/** Of ten items. */
const SCENARIOS: readonly Scenario[] = [
  ...[updated, updated, updatedTwice],
  ...[replaced, deleted],
  createdAgain,
  ...[created, created, created, created],
];

/** Of the item of this number: a fifth are deleted, and the slug of half of these is used again. */
export const playScenario = async (send: Send, nth: number): Promise<ItemHistory> => {
  const client = newClient(send);
  const fields = someFields(`d${nth % DOMAINS}.example`, `item-${nth}`);
  const scenario = SCENARIOS[nth % SCENARIOS.length] ?? created;
  let item: ContentItem | undefined;
  try {
    item = await scenario(client, fields);
  } catch (error) {
    client.history.surprises.push(error instanceof Error ? error.message : String(error));
  }
  return { ...client.history, item };
};
