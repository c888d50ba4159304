import { type Answer, errorNameOf, isJsonObject, type JsonObject, messageOf, refusal } from './protocol.ts';

/** A transactional request costs twice what the same request alone does. */
const TRANSACTION_FACTOR = 2;

const REASON_CODES: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  ValidationException: 'ValidationError',
};

const reasonOf = (answer: Answer): JsonObject => {
  const name = errorNameOf(answer);
  if (name === undefined) return { Code: 'None' };
  const { Item } = answer.body;
  return {
    Code: REASON_CODES[name] ?? name,
    Message: messageOf(answer),
    ...(Item === undefined ? {} : { Item }),
  };
};

/** The refusal of a transaction of which an action was refused, one reason per action; undefined when none was. */
export const cancellationOf = (answers: readonly Answer[]): Answer | undefined => {
  const reasons = answers.map(reasonOf);
  if (reasons.every(({ Code }) => Code === 'None')) return undefined;
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return refusal('database', 'TransactionCanceledException', message, { CancellationReasons: reasons });
};

/** Units by table name. */
export type Consumption = ReadonlyMap<string, number>;

/** What the answers of a transaction's actions cost together. */
export const consumptionOf = (answers: readonly Answer[]): Consumption => {
  const units = new Map<string, number>();
  for (const { body } of answers) {
    const consumed = isJsonObject(body.ConsumedCapacity) ? body.ConsumedCapacity : {};
    const table = String(consumed.TableName);
    units.set(table, (units.get(table) ?? 0) + TRANSACTION_FACTOR * Number(consumed.CapacityUnits));
  }
  return units;
};

/** The consumption in the detail that the request asks for. */
export const reportConsumption = (
  consumption: Consumption,
  { ReturnConsumedCapacity: detail }: JsonObject,
): JsonObject =>
  detail === 'TOTAL' || detail === 'INDEXES'
    ? {
        ConsumedCapacity: [...consumption].map(([TableName, CapacityUnits]) => ({
          TableName,
          CapacityUnits,
          ...(detail === 'INDEXES' ? { Table: { CapacityUnits } } : {}),
        })),
      }
    : {};
