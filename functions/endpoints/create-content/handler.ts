import { creationOwnerId } from '../../../core/access/key-record.ts';
import { contentData } from '../../../core/content/content-table.ts';
import { etagOf } from '../../../core/content/item.ts';
import { newFields } from '../../../core/content/schemas.ts';
import { serve } from '../../http/stack.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = serve(
  { endpoint, data: contentData, input },
  async ({ input: { body, headers: given }, caller, content, address, now, deadline }) => {
    const idempotencyKey = given['Idempotency-Key'];
    const idempotency =
      idempotencyKey === undefined ? undefined : { keyId: creationOwnerId(caller.key), idempotencyKey };
    const change = { now, deadline, domains: caller.key.domains };
    const { item, isReplayed } = await content.create(newFields(body), idempotency, change);
    const headers = { Location: `${address}/${item.id}`, ETag: etagOf(item) };
    return { body: item, headers: { ...headers, ...(isReplayed && { 'Idempotent-Replayed': 'true' }) } };
  },
);
