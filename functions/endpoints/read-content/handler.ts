import { type ContentData, contentData } from '../../../core/content/content-table.ts';
import { etagOf, isAllowedDomain } from '../../../core/content/item.ts';
import { contentNotFound } from '../../../core/problems.ts';
import { apiChain } from '../../http/api-chain.ts';
import { auth, preload } from '../../http/auth.ts';
import { dataset } from '../../http/dataset.ts';
import { jsonResponse } from '../../http/json-response.ts';
import type { RequestContext } from '../../http/request.ts';
import { noInput, validation } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';

export const handler = apiChain(endpoint)
  .use(dataset(endpoint, contentData))
  .use(preload(({ content, pathParameters: { id = '' } }: RequestContext & ContentData) => content.find(id)))
  .use(auth(endpoint))
  .use(validation(noInput))
  .handler(async (_event, { caller, preloaded }) => {
    const item = await preloaded;
    if (item === undefined || !isAllowedDomain(caller.key.domains, item.domain)) throw contentNotFound();
    return jsonResponse(endpoint.successStatus, item, { ETag: etagOf(item) });
  });
