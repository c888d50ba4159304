import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { HttpRequest } from '@smithy/core/protocols';
import { UnreadableResponse } from './transport.ts';

type SerializeArguments = Parameters<AwsJson1_0Protocol['serializeRequest']>;
type DeserializeArguments = Parameters<AwsJson1_0Protocol['deserializeResponse']>;

/** Operations on items: texts, numbers and attribute values. Others speak of moments, which the SDK makes dates of. */
const ON_ITEMS = new Set([
  'BatchGetItem',
  'BatchWriteItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'TransactGetItems',
  'TransactWriteItems',
  'UpdateItem',
]);

const FIRST_ERROR_STATUS = 300;

/**
 * DynamoDB answers with a JSON object, whatever the status. Anything else (an empty body, a cut one, a proxy's page, bytes
 * in an encoding that nobody asked for) does not come from it.
 * @throws UnreadableResponse
 */
const parseBody = (body: unknown) => {
  try {
    const parsed = JSON.parse(String(body));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Neither the text nor its error's message: both may quote an item.
  }
  throw new UnreadableResponse('DynamoDB answered with something else than a JSON object');
};

/**
 * DynamoDB's JSON of items as it stands: what a command takes is what goes over the wire, and what comes back is what it
 * gives. The SDK's own protocol walks through every value by its schema, for the sake of binary attributes, of which
 * this service has none: a tenth of a look-up's processor time. Errors and all other operations are left to it.
 */
export class DynamoDbJson extends AwsJson1_0Protocol {
  override async serializeRequest(...[operation, input, context]: SerializeArguments) {
    if (!ON_ITEMS.has(operation.name)) return super.serializeRequest(operation, input, context);
    const request = new HttpRequest({
      method: 'POST',
      path: '/',
      headers: {
        'content-type': this.getDefaultContentType(),
        'x-amz-target': `${this.serviceTarget}.${operation.name}`,
      },
      body: JSON.stringify(input),
    });
    this.updateServiceEndpoint(request, await context.endpoint());
    return request;
  }

  override async deserializeResponse(...[operation, context, response]: DeserializeArguments) {
    const body = parseBody(response.body);
    if (!ON_ITEMS.has(operation.name) || response.statusCode >= FIRST_ERROR_STATUS) {
      return super.deserializeResponse(operation, context, response);
    }
    return { ...body, $metadata: this.deserializeMetadata(response) };
  }
}
