import { answerConditionalWrite, wantsItemOnFailure } from './condition-failure-item.ts';
import type { Store } from './dynalite-store.ts';
import type { AnswerOperation } from './http-front.ts';
import type { RequestGate } from './request-gate.ts';
import { transactionTokens } from './transaction-tokens.ts';
import { readTransaction, writeTransaction } from './transactions.ts';

/** Answers every operation: dynalite's own side by side, and alone those that this engine adds to it. */
export const answerOperations = (store: Store, gate: RequestGate): AnswerOperation => {
  const tokens = transactionTokens();
  return (operation, input) => {
    if (operation === 'TransactWriteItems') return gate.exclusive(() => writeTransaction(store, tokens, input));
    if (operation === 'TransactGetItems') return gate.exclusive(() => readTransaction(store, input));
    if (wantsItemOnFailure(operation, input)) {
      return gate.exclusive(() => answerConditionalWrite(store, operation, input));
    }
    return gate.shared(() => store.perform(operation, input));
  };
};
