import { type EngineResponse, errorNameOf, errorResponse, isJsonObject, type JsonObject } from './protocol.ts';

/** A transactional request consumes twice the capacity of the same request on its own. */
const TRANSACTION_FACTOR = 2;

const REASON_CODES: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  ValidationException: 'ValidationError',
};

const reasonOf = (response: EngineResponse): JsonObject => {
  const name = errorNameOf(response);
  if (name === undefined) return { Code: 'None' };
  const { Item, message, Message = '' } = response.body;
  return {
    Code: REASON_CODES[name] ?? name,
    Message: String(message ?? Message),
    ...(Item === undefined ? {} : { Item }),
  };
};

const cancellationOf = (responses: readonly EngineResponse[]): EngineResponse | undefined => {
  const reasons = responses.map(reasonOf);
  if (reasons.every(({ Code }) => Code === 'None')) return undefined;
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return errorResponse('database', 'TransactionCanceledException', message, { CancellationReasons: reasons });
};

/**
 * The error of a transaction of which an action failed: the engine's own failure, or a cancellation with one reason per action.
 * Undefined when every action succeeded.
 */
export const transactionError = (responses: readonly EngineResponse[]): EngineResponse | undefined =>
  responses.find(({ status }) => status >= 500) ?? cancellationOf(responses);

/** Capacity units by table name. */
export type Consumption = ReadonlyMap<string, number>;

/** The capacity that the actions of a transaction consumed together. */
export const consumptionOf = (responses: readonly EngineResponse[]): Consumption => {
  const units = new Map<string, number>();
  for (const { body } of responses) {
    const consumed = isJsonObject(body.ConsumedCapacity) ? body.ConsumedCapacity : {};
    const table = String(consumed.TableName);
    units.set(table, (units.get(table) ?? 0) + TRANSACTION_FACTOR * Number(consumed.CapacityUnits));
  }
  return units;
};

/** The consumption, if the request asks for it. */
export const reportConsumption = (consumption: Consumption, { ReturnConsumedCapacity }: JsonObject): JsonObject =>
  ReturnConsumedCapacity === 'TOTAL'
    ? { ConsumedCapacity: [...consumption].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) }
    : {};
