import type { Flow, StackRequest } from './flow.ts';

/** Reads the endpoint's input. A fault is kept rather than thrown: who may not call does not learn what is wrong. */
export const parseRequest = (parse: (flow: Flow) => unknown) => ({
  before: ({ internal: { flow } }: StackRequest) => {
    try {
      flow.input = parse(flow);
    } catch (fault) {
      flow.fault = fault;
    }
  },
});
