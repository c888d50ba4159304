/**
 * The handler that `sam local` calls. It corrects two errors of SAM CLI 1.170 in the event, then calls the bundle's handler.
 * SAM CLI sets `timeEpoch` once, at its start and in seconds, and uses one request id for all requests. Without the
 * correction no rate limit window would end and no policy would be in force.
 */
const { handler } = require('./bundle.js');

exports.handler = (event, context) =>
  handler(
    {
      ...event,
      requestContext: { ...event.requestContext, timeEpoch: Date.now(), requestId: context.awsRequestId },
    },
    context,
  );
