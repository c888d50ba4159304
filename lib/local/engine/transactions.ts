import { answerConditionalWrite } from './condition-failure-item.ts';
import type { RecordWrite } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { type Answer, type JsonObject, refusal, validationRefusal } from './protocol.ts';
import { type Action, parseActions, READ_KINDS, WRITE_KINDS } from './transaction-actions.ts';
import { cancellationOf, consumptionOf, reportConsumption } from './transaction-answers.ts';
import { transactionFault } from './transaction-faults.ts';
import type { TransactionTokens } from './transaction-tokens.ts';

const MAX_TOKEN_LENGTH = 36;

const TOKEN_MISMATCH = refusal(
  'database',
  'IdempotentParameterMismatchException',
  'The token was used with other contents',
);
const TOKEN_TOO_LONG = validationRefusal(
  `1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to ${MAX_TOKEN_LENGTH}`,
);

const failureAmong = (answers: readonly Answer[]): Answer | undefined => answers.find(({ status }) => status >= 500);

/** The answer of each action on its own, and the writes that they ask for together. Nothing is written. */
const tryWrites = async (store: Store, actions: readonly Action[]) => {
  const tried = await Promise.all(
    actions.map(async ({ operation, input, checksOnly }) => {
      const journal: RecordWrite[] = [];
      const answer = await answerConditionalWrite(store, operation, input, journal);
      return { answer, writes: checksOnly ? [] : journal };
    }),
  );
  return { answers: tried.map(({ answer }) => answer), writes: tried.flatMap(({ writes }) => writes) };
};

const writeActions = async (store: Store, actions: readonly Action[]): Promise<Answer | { applied: Answer[] }> => {
  const fault = await transactionFault(store, actions);
  if (fault !== undefined) return fault;
  const { answers, writes } = await tryWrites(store, actions);
  const refused = failureAmong(answers) ?? cancellationOf(answers);
  if (refused !== undefined) return refused;
  await store.commit(writes);
  return { applied: answers };
};

/**
 * TransactWriteItems. All actions are tried against what is stored, each on its own item, and their writes then made in
 * one batch of the store: all or nothing, even if the process ends meanwhile. To be run exclusively.
 */
export const writeTransaction = async (store: Store, tokens: TransactionTokens, input: JsonObject): Promise<Answer> => {
  const { TransactItems, ClientRequestToken } = input;
  const parsed = parseActions(input, WRITE_KINDS);
  if ('fault' in parsed) return parsed.fault;
  const token = typeof ClientRequestToken === 'string' ? ClientRequestToken : '';
  if (token.length > MAX_TOKEN_LENGTH) return TOKEN_TOO_LONG;
  const earlier = token === '' ? undefined : tokens.recall(token, TransactItems);
  if (earlier === 'mismatch') return TOKEN_MISMATCH;
  if (earlier !== undefined) return { status: 200, body: reportConsumption(earlier, input) };
  const outcome = await writeActions(store, parsed.actions);
  if (!('applied' in outcome)) return outcome;
  const consumption = consumptionOf(outcome.applied);
  if (token !== '') tokens.remember(token, TransactItems, consumption);
  return { status: 200, body: reportConsumption(consumption, input) };
};

/** TransactGetItems: items as they are at one moment. To be run exclusively. */
export const readTransaction = async (store: Store, input: JsonObject): Promise<Answer> => {
  const parsed = parseActions(input, READ_KINDS);
  if ('fault' in parsed) return parsed.fault;
  const actions = parsed.actions.map((action) => ({ ...action, input: { ...action.input, ConsistentRead: true } }));
  const fault = await transactionFault(store, actions);
  if (fault !== undefined) return fault;
  const answers = await Promise.all(actions.map(({ operation, input }) => store.perform(operation, input)));
  const refused = failureAmong(answers) ?? cancellationOf(answers);
  if (refused !== undefined) return refused;
  const Responses = answers.map(({ body: { Item } }) => (Item === undefined ? {} : { Item }));
  return { status: 200, body: { Responses, ...reportConsumption(consumptionOf(answers), input) } };
};
