import { contentData } from '../../../core/content/content-table.ts';
import { etagOf } from '../../../core/content/item.ts';
import { changedFields } from '../../../core/content/schemas.ts';
import { serve } from '../../http/stack.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = serve(
  { endpoint, data: contentData, input },
  async ({ pathParameters: { id = '' }, input: { body, headers }, caller, content, now, deadline }) => {
    const change = { now, deadline, domains: caller.key.domains };
    const item = await content.update(id, changedFields(body), headers, change);
    return { body: item, headers: { ETag: etagOf(item) } };
  },
);
