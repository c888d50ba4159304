import { contentData } from '../../../core/content/content-table.ts';
import { type ContentPage, readPageQuery, requirePageFits } from '../../../core/content/page.ts';
import { apiChain } from '../../http/api-chain.ts';
import { auth } from '../../http/auth.ts';
import { compression } from '../../http/compression.ts';
import { dataset } from '../../http/dataset.ts';
import { jsonResponse } from '../../http/json-response.ts';
import { validation } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';
import { pageLinks } from './page-links.ts';

export const handler = apiChain(endpoint, compression())
  .use(dataset(endpoint, contentData))
  .use(auth(endpoint))
  .use(validation(input))
  .handler(async (_event, { input: { query }, caller, content, address, deadline }) => {
    const request = readPageQuery(query, caller.key.domains);
    const { items, total, next } = await content.list(request, deadline);
    requirePageFits(items);
    const { limit, offset } = request;
    const body: ContentPage = { items, total, limit, offset, next };
    const links = pageLinks(address, request, body);
    return jsonResponse(endpoint.successStatus, body, links === undefined ? {} : { Link: links });
  });
