/** The ways on from a state of a search. */
import { type TableDescription, type TableId, tables } from '../../core/tables.ts';
import type { RecordWrite } from '../../local/engine/dynalite-modules.ts';
import { type EngineResponse, type JsonObject, RejectedRequest, responseTo } from '../../local/engine/protocol.ts';
import { mixedReasons } from '../support/fault-proxy.ts';
import { afterWrites, perform, type Request, type RequestResult, type StoredState, TABLES } from './engine.ts';
import type { Call, Progress } from './run-side.ts';

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
const isTransaction = ({ operation }: Request): boolean => operation.startsWith('Transact');

export const isWrite = ({ operation }: Request): boolean => /^(Put|Update|Delete|TransactWrite)/.test(operation);

const reads = (request: Request, entries: ReadonlySet<string>): boolean =>
  namesOf(request).some((name) => entries.has(name) || entries.values().some((entry) => entry.startsWith(`${name} `)));

/**
 * Which of a transaction's writes may be seen apart from the others: in a transaction of content the updates, which are
 * the counters, in an erasure the record of compliance.
 */
const apartOf = (request: Request): readonly boolean[] =>
  actionsOf(request)
    .filter(([kind]) => kind !== 'ConditionCheck')
    .map(([kind, { TableName }]) => kind === 'Update' || TableName === TABLES.compliance);

/**
 * DynamoDB's answer to a call that meets a transaction on the same entry. The conditions beside it fail, as they can
 * because of that transaction: the call must be repeated all the same.
 */
const conflictOf = (request: Request): EngineResponse => {
  const [type, details] = isTransaction(request)
    ? ['TransactionCanceledException', { CancellationReasons: mixedReasons(request.input.TransactItems as []) }]
    : ['TransactionConflictException', {}];
  return responseTo(new RejectedRequest(type, 'A transaction is ongoing for the item', details));
};

/** A call in a few words, for the schedule that leads to a violation. */
const describe = (request: Request): string => `${request.operation} ${namesOf(request).join(', ')}`;

/** A transaction whose first half is stored. It can't fail any more, and ends even when its caller has. */
interface Half {
  readonly side: number;
  readonly call: Call;
  readonly response: EngineResponse;
  readonly late: readonly RecordWrite[];
  /** What brings back the state before the transaction. */
  readonly undo: readonly RecordWrite[];
}

export interface Node {
  readonly stored: StoredState;
  readonly progress: readonly Progress[];
  readonly halves: readonly Half[];
  /** The sides that had a call cancelled. Each has that once. */
  readonly cancelled: readonly number[];
  /** What each side that reads has observed since its first call. */
  readonly observed: readonly unknown[];
}

/** What happens next: a call gets its response, or a transaction is stored by half. */
interface Step {
  readonly name: string;
  readonly take: () => Promise<Node>;
}

/** The write that brings a record back to what is stored of it now. */
const present = ({ records }: StoredState, key: string): RecordWrite => {
  const value = records.get(key);
  return value === undefined ? { type: 'del', key } : { type: 'put', key, value };
};

/** Whether a call is on an entry of another side's transaction. */
const meets = (call: Call, others: readonly Call[]): boolean => {
  const entries = new Set(others.filter(({ operation }) => operation === 'TransactWriteItems').flatMap(namesOf));
  return (isWrite(call) || isTransaction(call)) && namesOf(call).some((entry) => entries.has(entry));
};

/** The ways on from a state. `written` has the entries that each side writes in any order. */
export const stepsFrom = async (node: Node, written: readonly ReadonlySet<string>[]): Promise<Step[]> => {
  const { stored, progress, halves, cancelled } = node;

  const step = (side: number, what: string, call: Call, take: Step['take']): Step => ({
    name: `${progress[side]?.digit}: ${what}${describe(call)}`,
    take,
  });

  /** A call gets its response, with what else changes then. */
  const answer = (side: number, what: string, call: Call, response: EngineResponse, changes: Partial<Node>): Step =>
    step(side, what, call, async () => {
      const answered = progress.map((one, at) => (at === side ? one.after(call, response) : one));
      return { ...node, ...changes, progress: await Promise.all(answered) };
    });

  const finish = (half: Half): Step =>
    answer(half.side, 'the rest of ', half.call, half.response, {
      stored: afterWrites(stored, half.late),
      halves: halves.filter((other) => other !== half),
    });

  /** Both ways in which a transaction can be stored by half. */
  const byHalf = (side: number, call: Call, { response, writes }: RequestResult): Step[] => {
    const isApart = call.operation === 'TransactWriteItems' && writes.length > 0 ? apartOf(call) : [];
    const [apart = [], others = []] = [true, false].map((kind) => writes.filter((_, nth) => isApart[nth] === kind));
    if (apart.length === 0 || others.length === 0) return [];
    const first = (what: string, early: readonly RecordWrite[], late: readonly RecordWrite[]): Step => {
      const undo = early.map(({ key }) => present(stored, key));
      const half = { side, call, response, late, undo };
      return step(side, `${what} first of `, call, async () => ({
        ...node,
        stored: afterWrites(stored, early),
        halves: [...halves, half],
      }));
    };
    return [first('others', others, apart), first('counters or compliance', apart, others)];
  };

  const stepsOf = async (side: number, call: Call): Promise<Step[]> => {
    const others = halves.filter((other) => other.side !== side).map((other) => other.call);
    const inFlight = progress.filter((_, other) => other !== side).flatMap(({ calls }) => calls);
    const mayMeet = call.operation === 'TransactWriteItems' || meets(call, inFlight);
    const isCancelled = { cancelled: [...cancelled, side] };
    const steps =
      mayMeet && !cancelled.includes(side)
        ? [answer(side, 'TransactionConflict for ', call, conflictOf(call), isCancelled)]
        : [];
    if (meets(call, others)) return steps;
    const performed = await perform(stored, call);
    const whole = { stored: afterWrites(stored, performed.writes) };
    return [...steps, answer(side, '', call, performed.response, whole), ...byHalf(side, call, performed)];
  };

  const waiting = progress.flatMap(({ calls }, side) =>
    calls
      .filter(({ name }) => !halves.some((half) => half.side === side && half.call.name === name))
      .map((call) => ({ side, call })),
  );
  // A read of what no other side ever writes is the same at any time.
  const alone = waiting.find(
    ({ side, call }) => !isWrite(call) && !written.some((entries, other) => other !== side && reads(call, entries)),
  );
  if (alone) return stepsOf(alone.side, alone.call);
  return [...halves.map(finish), ...(await Array.fromAsync(waiting, ({ side, call }) => stepsOf(side, call))).flat()];
};
