import { contentData } from '../../../core/content/content-table.ts';
import { etagOf, isAllowedDomain } from '../../../core/content/item.ts';
import { contentNotFound } from '../../../core/problems.ts';
import { serveLookup } from '../../http/stack.ts';
import { noInput } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';

export const handler = serveLookup(
  {
    endpoint,
    data: contentData,
    path: ({ id = '' }) => ({ id }),
    input: noInput,
    load: ({ content, id }) => content.find(id),
  },
  async ({ caller }, item) => {
    if (item === undefined || !isAllowedDomain(caller.key.domains, item.domain)) throw contentNotFound();
    return { body: item, headers: { ETag: etagOf(item) } };
  },
);
