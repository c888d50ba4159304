import type { StackRequest } from './flow.ts';

/** Throws what was found wrong with the request, now that its caller may know. */
export const raiseFaults = () => ({
  before: ({ internal: { flow } }: StackRequest) => {
    if (flow.fault !== undefined) throw flow.fault;
  },
});
