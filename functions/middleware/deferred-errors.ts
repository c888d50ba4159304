import type { InboundMiddleware, RequestContext } from './request-context.ts';

/**
 * Lets a middleware run before admission: what it throws is kept for `throwDeferredError`, since 401, 429 and 403 come first.
 * Skipped after an earlier deferred error, and unless `when` holds.
 */
export const deferErrors = (
  middleware: InboundMiddleware,
  when: (context: RequestContext) => boolean,
): InboundMiddleware => ({
  before: async (request) => {
    const { event: context } = request;
    if (context.deferredError !== undefined || !when(context)) return;
    try {
      await middleware.before(request);
    } catch (error) {
      context.deferredError = error;
    }
  },
});

/** Throws what was deferred: by now the caller is admitted and may know. */
export const throwDeferredError = (): InboundMiddleware => ({
  before: ({ event: { deferredError } }) => {
    if (deferredError !== undefined) throw deferredError;
  },
});
