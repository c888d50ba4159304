/**
 * The handler that `sam local` calls. It corrects two errors of SAM CLI 1.170 in an event and calls the bundle's handler: SAM
 * sets `timeEpoch` once, when it starts, and in seconds, and it uses one request id for all requests. With them no rate
 * limit window would ever end and no policy would be in force.
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
