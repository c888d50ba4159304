import type { ContentItem, ContentPage, CreateContent, UpdateContent } from './api-types.ts';
import { isProblem, pathSegment, requireArgument } from './errors.ts';
import type { ApiRequest, CallOptions, Transport } from './transport.ts';

export interface ListOptions extends CallOptions {
  /** Only the items of this domain. */
  readonly domain?: string | undefined;
  /** Only the item with this slug; needs `domain`. */
  readonly slug?: string | undefined;
  /** Items per request, 1 to 100. Default: 50. */
  readonly pageSize?: number | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Default: a new one for each call. Pass your own to retry a creation from another process. */
  readonly idempotencyKey?: string | undefined;
}

/** Returns the changes to an item. Called again with the current item if another change came first. */
export type Edit = (item: ContentItem) => UpdateContent | Promise<UpdateContent>;

/** Maximum number of attempts at an edit while others change the item. */
const MAX_EDITS = 10;

const pathOf = (id: string): string => `/api/content/${pathSegment(id, 'id', '7c9e6679-7425-40de-944b-e07fc1f90ae7')}`;

/** Whether an item has the changes of an edit. Domains are stored in lower case. */
const hasChanges = (item: ContentItem, { title, content, domain, slug, meta_description }: UpdateContent): boolean =>
  Object.entries({ title, content, domain: domain?.toLowerCase(), slug, meta_description }).every(
    ([name, value]) => value === undefined || item[name as keyof ContentItem] === value,
  );

/** Operations on content items. */
export class Content {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async #requestItem(asked: ApiRequest): Promise<ContentItem> {
    const item = await this.#transport.request<ContentItem | null | undefined>(asked);
    if (typeof item?.version === 'number') return item;
    throw new Error('The response is not an item of content with its version.');
  }

  /**
   * All items, newest first, page by page. Each is read at most once, and each that stays in the list exactly once: a
   * loop may create, change and delete what it lists.
   */
  async *list({ domain, slug, pageSize = 50, signal }: ListOptions = {}): AsyncGenerator<ContentItem, void, undefined> {
    let limit = pageSize;
    const read = new Set<string | undefined>();
    for (let after: string | undefined; ; ) {
      try {
        const query = { domain, slug, limit, after };
        const page = await this.#transport.request<ContentPage>({ path: '/api/content', query, signal });
        // Without `next` the loop would end early, or begin again.
        if (page?.next === undefined) throw new Error('The response is not a page of content with its next one.');
        yield* page.items;
        if (page.next === null) return;
        read.add(after);
        if (read.has(page.next)) throw new Error('The response names a page that was read already as its next one.');
        after = page.next;
      } catch (error) {
        if (!isProblem(error, 'PAGE_TOO_LARGE') || limit === 1) throw error;
        limit = Math.ceil(limit / 2);
      }
    }
  }

  /** @throws ApiProblem `CONTENT_NOT_FOUND` when no item has this id */
  async get(id: string, { signal }: CallOptions = {}): Promise<ContentItem> {
    return this.#requestItem({ path: pathOf(id), signal });
  }

  /** Creates the item exactly once, also when the request is retried. */
  async create(
    item: CreateContent,
    { idempotencyKey = crypto.randomUUID(), signal }: CreateOptions = {},
  ): Promise<ContentItem> {
    const isRight = typeof idempotencyKey === 'string' && /^[ -~]*$/.test(idempotencyKey) && /\S/.test(idempotencyKey);
    requireArgument(isRight, 'The idempotencyKey must be a text of ASCII characters, such as a UUID.');
    const headers = { 'Idempotency-Key': idempotencyKey };
    return this.#requestItem({ method: 'POST', path: '/api/content', headers, body: item, signal });
  }

  /**
   * Reads the item and applies the edit, up to 10 times while others change the item. Never overwrites a change that
   * the edit has not seen. @throws ApiProblem `PRECONDITION_FAILED` after that, or when the outcome is unknown
   */
  async update(id: string, edit: Edit, { signal }: CallOptions = {}): Promise<ContentItem> {
    const example = "(item) => ({ title: 'New title' })";
    requireArgument(typeof edit === 'function', `The edit must be a function that returns the changes: ${example}.`);
    for (let attempt = 1; ; attempt += 1) {
      const { version, ...item } = await this.get(id, { signal });
      const body = await edit({ version, ...item });
      const headers = { 'If-Match': `"${version}"` };
      try {
        return await this.#requestItem({ method: 'PUT', path: pathOf(id), headers, body, signal });
      } catch (error) {
        if (!isProblem(error, 'PRECONDITION_FAILED') || attempt === MAX_EDITS) throw error;
        if (error.isAfterLostAnswer) {
          // The conflicting change may be this edit, whose response was lost.
          const present = await this.get(id, { signal });
          if (present.version === version + 1 && hasChanges(present, body)) return present;
          if (present.version > version + 1) throw error;
        }
      }
      await this.#transport.backOff(attempt, signal);
    }
  }

  /** Deletes the item permanently. @throws ApiProblem `CONTENT_NOT_FOUND` when no item had this id */
  async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
    try {
      await this.#transport.request<void>({ method: 'DELETE', path: pathOf(id), signal });
    } catch (error) {
      const isDone = isProblem(error, 'CONTENT_NOT_FOUND') && error.isAfterLostAnswer;
      if (!isDone) throw error;
    }
  }
}
