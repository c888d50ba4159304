/**
 * The handler that `sam local` calls: it mends what SAM CLI (1.170) gets wrong in an event and hands it to the bundle.
 * SAM takes the time once, when it starts, and in seconds; and it makes one request id for all requests. With that no
 * rate limit would ever end and no policy would be in force.
 */
const { handler } = require('./index.js');

exports.handler = (event, context) =>
  handler(
    {
      ...event,
      requestContext: { ...event.requestContext, timeEpoch: Date.now(), requestId: context.awsRequestId },
    },
    context,
  );
