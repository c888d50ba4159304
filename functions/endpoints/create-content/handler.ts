import { creationOwnerId } from '../../../core/access/key-record.ts';
import { contentData } from '../../../core/content/content-table.ts';
import { etagOf } from '../../../core/content/item.ts';
import { newFields } from '../../../core/content/schemas.ts';
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
  .handler(async (_event, { input: { body, headers }, caller, content, address, now, deadline }) => {
    const idempotencyKey = headers['Idempotency-Key'];
    const idempotency =
      idempotencyKey === undefined ? undefined : { keyId: creationOwnerId(caller.key), idempotencyKey };
    const change = { now, deadline, domains: caller.key.domains };
    const { item, isReplayed } = await content.create(newFields(body), idempotency, change);
    return jsonResponse(endpoint.successStatus, item, {
      Location: `${address}/${item.id}`,
      ETag: etagOf(item),
      ...(isReplayed && { 'Idempotent-Replayed': 'true' }),
    });
  });
