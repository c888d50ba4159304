/** What the clients of the content test do: requests that are repeated until they are acknowledged, and every response checked. */
import type { ContentFields, ContentItem } from '../../../core/content/item.ts';
import type { Call, Reply, TestApi } from '../../support/api.ts';
import { someFields } from '../../support/content.ts';

/** Lists that all clients share, so that they write the same counters. */
const DOMAINS = 7;
const ITEMS = '/v1/api/content';
/** Far more than a fifth of faults can use up. */
const MAX_ATTEMPTS = 100;
/** Every so many responses to a change are treated as lost, and the request is sent again. */
const LOST_EVERY = 10;

/** What one client was acknowledged about one item. */
export interface ItemHistory {
  /** As last acknowledged; undefined when its deletion was. */
  item: ContentItem | undefined;
  /** Ids of items whose deletion was acknowledged. */
  readonly deleted: string[];
  /** Unexpected responses. */
  readonly unexpected: string[];
}

interface Answered {
  readonly reply: Reply;
  /** Whether an earlier attempt may have been applied: 404 or 412 may then be due to it. */
  readonly inDoubt: boolean;
  /** Responses to earlier attempts that were treated as lost. */
  readonly lost: readonly Reply[];
}

/** `fetch` throws this when a busy machine has closed a connection that was to be used again: the response is lost. */
const undefinedIfDisconnected = (error: unknown): undefined => {
  if (!(error instanceof TypeError)) throw error;
};

/** Repeats each request until it is acknowledged or rejected. 429 means a throttled counter: no key nears its limit. */
export const retryingClient = async (api: TestApi) => {
  const key = await api.newKey();
  let changes = 0;
  const isLost = (method: string, { status }: Reply): boolean => {
    if (method === 'GET' || status >= 300) return false;
    changes += 1;
    return changes % LOST_EVERY === 0;
  };
  return async (method: string, path: string, options: Call = {}): Promise<Answered> => {
    const lost: Reply[] = [];
    let inDoubt = false;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const reply = await api.call(method, ITEMS + path, { key, ...options }).catch(undefinedIfDisconnected);
      if (reply === undefined || reply.status >= 500) inDoubt = true;
      else if (isLost(method, reply)) lost.push(reply);
      else if (reply.status !== 429) return { reply, inDoubt: inDoubt || lost.length > 0, lost };
    }
    throw new Error(`${method} was not acknowledged in ${MAX_ATTEMPTS} attempts`);
  };
};

type Send = Awaited<ReturnType<typeof retryingClient>>;

const ifVersion = ({ version }: ContentItem) => ({ 'If-Match': `"${version}"` });

/** The requests about one item. */
const clientOf = (send: Send, { deleted, unexpected }: ItemHistory) => {
  const require = (holds: boolean, what: string, { status, text }: Reply): void => {
    if (!holds) unexpected.push(`${what}: ${status} ${text}`);
  };

  const read = async (id: string): Promise<ContentItem | undefined> => {
    const { reply } = await send('GET', `/${id}`);
    require([200, 404].includes(reply.status), 'read', reply);
    return reply.status === 200 ? (reply.body as ContentItem) : undefined;
  };

  const create = async (json: ContentFields, idempotencyKey: string): Promise<ContentItem> => {
    const { reply, lost } = await send('POST', '', { json, headers: { 'Idempotency-Key': idempotencyKey } });
    require(reply.status === 201, 'create', reply);
    for (const earlier of lost) require(earlier.text === reply.text, 'another response to the same create', earlier);
    return reply.body as ContentItem;
  };

  /** Nobody else changes this item: after a lost response, our title and the next version mean that the update was applied. */
  const update = async (item: ContentItem, title: string): Promise<ContentItem> => {
    const { reply, inDoubt } = await send('PUT', `/${item.id}`, { json: { title }, headers: ifVersion(item) });
    if (reply.status === 200) return reply.body as ContentItem;
    require(inDoubt && reply.status === 412, 'update', reply);
    const found = await read(item.id);
    require(found?.title === title && found.version === item.version + 1, 'update in doubt', reply);
    return found ?? item;
  };

  const list = async (query: string) => {
    const { reply } = await send('GET', query);
    return { reply, ...(reply.body as { readonly items: readonly ContentItem[]; readonly total: number }) };
  };
  const requireBySlug = async ({ domain, slug }: ContentItem, expected: number): Promise<void> => {
    const { reply, items, total } = await list(`?domain=${domain}&slug=${slug}`);
    require(total === expected && items.length === expected, `a list of other than ${expected}`, reply);
  };
  /** A new item is near the beginning of its domain's list, behind at most what other clients created meanwhile. */
  const requireInDomain = async ({ id, domain }: ContentItem): Promise<void> => {
    const { reply, items } = await list(`?domain=${domain}&limit=50`);
    require(items.filter((item) => item.id === id).length === 1, 'a new item in the list of its domain', reply);
  };

  const remove = async (item: ContentItem, headers = {}): Promise<void> => {
    const { reply, inDoubt } = await send('DELETE', `/${item.id}`, { headers });
    require(reply.status === 204 || (reply.status === 404 && inDoubt), 'delete', reply);
    deleted.push(item.id);
    require((await read(item.id)) === undefined, 'read after deletion', reply);
    await requireBySlug(item, 0);
  };

  /** The same create again has the same response, even after the item was deleted. */
  const createAgain = async (fields: ContentFields, { id }: ContentItem): Promise<void> => {
    if ((await create(fields, fields.slug)).id !== id) unexpected.push('another id for the same create');
  };

  return { create, createAgain, requireBySlug, requireInDomain, update, remove };
};

/** What is done with a new item; returns the item as last acknowledged, undefined when it was deleted. */
type Scenario = (
  client: ReturnType<typeof clientOf>,
  item: ContentItem,
  fields: ContentFields,
) => Promise<ContentItem | undefined>;

const listed: Scenario = async ({ requireBySlug }, item) => {
  await requireBySlug(item, 1);
  return item;
};
const updated: Scenario = ({ update }, item) => update(item, `Changed ${item.slug}`);
const updatedTwice: Scenario = async (client, item, fields) =>
  client.update((await updated(client, item, fields)) ?? item, `Changed again ${item.slug}`);
const createdAgain: Scenario = async ({ createAgain, requireInDomain }, item, fields) => {
  await requireInDomain(item);
  await createAgain(fields, item);
  return item;
};
const replaced: Scenario = async ({ create, remove }, item, fields) => {
  await remove(item, ifVersion(item));
  return create({ ...fields, title: `Second ${fields.slug}` }, `${fields.slug} second`);
};
const removed: Scenario = async ({ createAgain, remove }, item, fields) => {
  await remove(item);
  await createAgain(fields, item);
  return undefined;
};

/** Of ten items: a fifth are deleted, and the slug of half of these is used again. */
const SCENARIOS = [updated, updated, updatedTwice, replaced, removed, createdAgain, listed, listed, listed, listed];

/** Of the item of this number. */
export const playScenario = async (send: Send, nth: number): Promise<ItemHistory> => {
  const history: ItemHistory = { item: undefined, deleted: [], unexpected: [] };
  const client = clientOf(send, history);
  const fields = someFields(`d${nth % DOMAINS}.example`, `item-${nth}`);
  const scenario = SCENARIOS[nth % SCENARIOS.length] ?? listed;
  try {
    history.item = await scenario(client, await client.create(fields, fields.slug), fields);
  } catch (error) {
    history.unexpected.push(String(error));
  }
  return history;
};
