import { contentData } from '../../../core/content/content-table.ts';
import { etagOf } from '../../../core/content/item.ts';
import { changedFields } from '../../../core/content/schemas.ts';
import { apiChain } from '../../http/api-chain.ts';
import { auth } from '../../http/auth.ts';
import { dataset } from '../../http/dataset.ts';
import { jsonBody } from '../../http/json-body.ts';
import { jsonResponse } from '../../http/json-response.ts';
import { validation } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = apiChain(endpoint)
  .use(dataset(endpoint, contentData))
  .use(auth(endpoint))
  .use(jsonBody())
  .use(validation(input))
  .handler(
    async (_event, { pathParameters: { id = '' }, input: { body, headers }, caller, content, now, deadline }) => {
      const change = { now, deadline, domains: caller.key.domains };
      const item = await content.update(id, changedFields(body), headers, change);
      return jsonResponse(endpoint.successStatus, item, { ETag: etagOf(item) });
    },
  );
