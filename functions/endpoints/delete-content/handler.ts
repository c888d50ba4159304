import { contentData } from '../../../core/content/content-table.ts';
import { serve } from '../../http/stack.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = serve(
  { endpoint, data: contentData, input },
  async ({ pathParameters: { id = '' }, input: { headers }, caller, content, now, deadline }) => {
    await content.remove(id, headers, { now, deadline, domains: caller.key.domains });
    return {};
  },
);
