/** What a call touches, and how DynamoDB cancels one that meets another. */
import { type TableDescription, type TableId, tables } from '../../core/tables.ts';
import { type EngineResponse, type JsonObject, RejectedRequest, responseTo } from '../../local/engine/protocol.ts';
import { mixedReasons } from '../support/fault-proxy.ts';
import { type Request, TABLES } from './engine.ts';

/** The name of an entry, or of all entries of a partition: its table and its key's values. */
const nameIn = (table: unknown, key: unknown): string => {
  const [id] = Object.entries(TABLES).find(([, name]) => name === table) ?? [];
  if (id === undefined) throw new Error(`${table} is no table of a search`);
  const { partitionKey, sortKey }: TableDescription = tables[id as TableId];
  const values = [partitionKey, sortKey].map((attribute) => (key as JsonObject)[attribute?.name ?? '']);
  return [table, ...values.flatMap((value) => Object.values(value ?? {}))].join(' ');
};

const actionsOf = ({ input }: Request): readonly (readonly [kind: string, action: JsonObject])[] =>
  (input.TransactItems as readonly JsonObject[]).flatMap((item) => Object.entries(item) as [string, JsonObject][]);

/** The entries that a call names; the partition of a query, the table of a scan. */
export const namesOf = (request: Request): readonly string[] => {
  const { operation, input } = request;
  const { TableName } = input;
  if (isTransaction(request)) {
    return actionsOf(request).map(([, action]) => nameIn(action.TableName, action.Key ?? action.Item));
  }
  switch (operation) {
    case 'Scan':
      return [String(TableName)];
    case 'Query': {
      // Conditions name each value like its attribute.
      const values = Object.entries(input.ExpressionAttributeValues as JsonObject);
      return [nameIn(TableName, Object.fromEntries(values.map(([name, value]) => [name.slice(1), value])))];
    }
    case 'BatchGetItem': {
      const wanted = Object.entries(input.RequestItems as Record<string, { Keys: readonly unknown[] }>);
      return wanted.flatMap(([table, { Keys }]) => Keys.map((key) => nameIn(table, key)));
    }
    default:
      return [nameIn(TableName, input.Key ?? input.Item)];
  }
};

/** Whether DynamoDB cancels a call that meets a transaction on the same entry, with a reason for each. */
export const isTransaction = ({ operation }: Request): boolean => operation.startsWith('Transact');

export const isWrite = ({ operation }: Request): boolean => /^(Put|Update|Delete|TransactWrite)/.test(operation);

export const reads = (request: Request, entries: ReadonlySet<string>): boolean =>
  namesOf(request).some((name) => entries.has(name) || entries.values().some((entry) => entry.startsWith(`${name} `)));

/**
 * Which of a transaction's writes may be seen apart from the others: in a transaction of content the updates, which are
 * the counters, in an erasure the record of compliance.
 */
export const apartOf = (request: Request): readonly boolean[] =>
  actionsOf(request)
    .filter(([kind]) => kind !== 'ConditionCheck')
    .map(([kind, { TableName }]) => kind === 'Update' || TableName === TABLES.compliance);

/**
 * DynamoDB's answer to a call that meets a transaction on the same entry. The conditions beside it fail, as they can
 * because of that transaction: the call must be repeated all the same.
 */
export const conflictOf = (request: Request): EngineResponse => {
  const [type, details] = isTransaction(request)
    ? ['TransactionCanceledException', { CancellationReasons: mixedReasons(request.input.TransactItems as []) }]
    : ['TransactionConflictException', {}];
  return responseTo(new RejectedRequest(type, 'A transaction is ongoing for the item', details));
};

/** A call in a few words, for the schedule that leads to a violation. */
export const describe = (request: Request): string => `${request.operation} ${namesOf(request).join(', ')}`;
