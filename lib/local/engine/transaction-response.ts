import { type EngineResponse, isJsonObject, type JsonObject, parseErrorName, RejectedRequest } from './protocol.ts';

/** A transactional request consumes twice the capacity of the same request on its own. */
const TRANSACTION_FACTOR = 2;

const REASON_CODES: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  TransactionConflictException: 'TransactionConflict',
  ValidationException: 'ValidationError',
};

const cancellationReason = (response: EngineResponse) => {
  const name = parseErrorName(response);
  if (name === undefined) return { Code: 'None' };
  const { Item, message, Message = '' } = response.body;
  return {
    Code: REASON_CODES[name] ?? name,
    Message: String(message ?? Message),
    ...(Item === undefined ? {} : { Item }),
  };
};

/** @throws RejectedRequest with one reason per action when one of them failed, and any other error when the engine did */
export const requireSuccess = (responses: readonly EngineResponse[]): void => {
  if (responses.some(({ status }) => status >= 500)) throw new Error('An action could not be performed');
  const reasons = responses.map(cancellationReason);
  if (reasons.every(({ Code }) => Code === 'None')) return;
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  throw new RejectedRequest('TransactionCanceledException', message, { CancellationReasons: reasons });
};

/** The capacity that the actions of a transaction consumed together, if the request asks for it. */
export const sumConsumption = (
  responses: readonly EngineResponse[],
  { ReturnConsumedCapacity }: JsonObject,
): JsonObject => {
  if (ReturnConsumedCapacity !== 'TOTAL') return {};
  const units = new Map<string, number>();
  for (const { body } of responses) {
    const consumed = isJsonObject(body.ConsumedCapacity) ? body.ConsumedCapacity : {};
    const table = String(consumed.TableName);
    units.set(table, (units.get(table) ?? 0) + TRANSACTION_FACTOR * Number(consumed.CapacityUnits));
  }
  return { ConsumedCapacity: [...units].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) };
};
