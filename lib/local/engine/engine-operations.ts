import { answerConditionalWrite, wantsItemOnFailure } from './condition-failure-item.ts';
import type { Store } from './dynalite-store.ts';
import type { AnswerOperation } from './http-front.ts';
import type { RequestGate } from './request-gate.ts';

/** Answers every operation: dynalite's own, and those that this engine adds to it. */
export const answerOperations =
  (store: Store, gate: RequestGate): AnswerOperation =>
  (operation, input) => {
    if (wantsItemOnFailure(operation, input)) {
      return gate.exclusive(() => answerConditionalWrite(store, operation, input));
    }
    return gate.shared(() => store.perform(operation, input));
  };
