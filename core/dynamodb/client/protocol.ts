import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { HttpRequest } from '@smithy/core/protocols';
import { UnreadableResponse } from './transport.ts';

type SerializeArguments = Parameters<AwsJson1_0Protocol['serializeRequest']>;
type DeserializeArguments = Parameters<AwsJson1_0Protocol['deserializeResponse']>;

/** Operations on items. All other operations can return timestamps, which the SDK's protocol converts to dates. */
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
 * Every response of DynamoDB is a JSON object, whatever the status. Any other body (empty, truncated, a proxy's page)
 * does not come from DynamoDB.
 * @throws UnreadableResponse
 */
const parseBody = (body: unknown) => {
  try {
    const parsed = JSON.parse(String(body));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Without the body and the parser's message: both can contain an item.
  }
  throw new UnreadableResponse('The response is not a JSON object');
};

/**
 * Sends and returns the JSON of items unchanged. The SDK's protocol converts every value by its schema, which only
 * binary attributes need (docs/dynamodb-client.md#what-each-part-saves). Errors and all other operations use the
 * SDK's protocol.
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
