import { contentData } from '../../../core/content/content-table.ts';
import { apiChain } from '../../http/api-chain.ts';
import { auth } from '../../http/auth.ts';
import { dataset } from '../../http/dataset.ts';
import { validation } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';
import { input } from './input.ts';

export const handler = apiChain(endpoint)
  .use(dataset(endpoint, contentData))
  .use(auth(endpoint))
  .use(validation(input))
  .handler(async (_event, { pathParameters: { id = '' }, input: { headers }, caller, content, now, deadline }) => {
    await content.remove(id, headers, { now, deadline, domains: caller.key.domains });
    return { statusCode: endpoint.successStatus };
  });
