import { performConditionalWrite } from './conditional-write.ts';
import type { RecordWrite } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { type EngineResponse, errorResponse, type JsonObject, validationError } from './protocol.ts';
import type { RequestTokens } from './request-tokens.ts';
import { type Action, parseActions, READ_KINDS, validateActions, WRITE_KINDS } from './transaction-request.ts';
import { consumptionOf, reportConsumption, transactionError } from './transaction-response.ts';

const MAX_TOKEN_LENGTH = 36;

const TOKEN_MISMATCH = errorResponse(
  'database',
  'IdempotentParameterMismatchException',
  'The token was used with other contents',
);
const TOKEN_TOO_LONG = validationError(
  `1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to ${MAX_TOKEN_LENGTH}`,
);

/** The response of each action on its own and their pending writes. Nothing is written yet. */
const evaluateWrites = async (store: Store, actions: readonly Action[]) => {
  const evaluated = await Promise.all(
    actions.map(async ({ operation, input, checksOnly }) => {
      const pendingWrites: RecordWrite[] = [];
      const response = await performConditionalWrite(store, operation, input, pendingWrites);
      return { response, writes: checksOnly ? [] : pendingWrites };
    }),
  );
  return { responses: evaluated.map(({ response }) => response), writes: evaluated.flatMap(({ writes }) => writes) };
};

const applyWrites = async (
  store: Store,
  actions: readonly Action[],
): Promise<{ error: EngineResponse } | { responses: EngineResponse[] }> => {
  const invalid = await validateActions(store, actions);
  if (invalid !== undefined) return { error: invalid };
  const { responses, writes } = await evaluateWrites(store, actions);
  const error = transactionError(responses);
  if (error !== undefined) return { error };
  await store.commit(writes);
  return { responses };
};

/**
 * TransactWriteItems. Evaluates every action against the stored items, then commits all writes in one batch: all or
 * nothing, even if the process ends meanwhile. The caller holds the exclusive lock.
 */
export const writeTransaction = async (
  store: Store,
  tokens: RequestTokens,
  input: JsonObject,
): Promise<EngineResponse> => {
  const { TransactItems, ClientRequestToken } = input;
  const parsed = parseActions(input, WRITE_KINDS);
  if ('error' in parsed) return parsed.error;
  const token = typeof ClientRequestToken === 'string' ? ClientRequestToken : '';
  if (token.length > MAX_TOKEN_LENGTH) return TOKEN_TOO_LONG;
  const earlier = token === '' ? undefined : tokens.find(token, TransactItems);
  if (earlier === 'mismatch') return TOKEN_MISMATCH;
  if (earlier !== undefined) return { status: 200, body: reportConsumption(earlier, input) };
  const outcome = await applyWrites(store, parsed.actions);
  if ('error' in outcome) return outcome.error;
  const consumption = consumptionOf(outcome.responses);
  if (token !== '') tokens.add(token, TransactItems, consumption);
  return { status: 200, body: reportConsumption(consumption, input) };
};

/** TransactGetItems: the items as they are at one moment. The caller holds the exclusive lock. */
export const readTransaction = async (store: Store, input: JsonObject): Promise<EngineResponse> => {
  const parsed = parseActions(input, READ_KINDS);
  if ('error' in parsed) return parsed.error;
  const actions = parsed.actions.map((action) => ({ ...action, input: { ...action.input, ConsistentRead: true } }));
  const invalid = await validateActions(store, actions);
  if (invalid !== undefined) return invalid;
  const responses = await Promise.all(actions.map(({ operation, input }) => store.perform(operation, input)));
  const error = transactionError(responses);
  if (error !== undefined) return error;
  const Responses = responses.map(({ body: { Item } }) => (Item === undefined ? {} : { Item }));
  return { status: 200, body: { Responses, ...reportConsumption(consumptionOf(responses), input) } };
};
