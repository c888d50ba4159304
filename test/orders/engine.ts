/**
 * The embedded engine as a function: from what is stored and a request to the response and what is stored then. So a
 * search can go on from any state.
 */

import { hash } from 'node:crypto';
import { type AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import { type DynamoItem, documentClient } from '../../core/dynamodb/database.ts';
import { prefixedTableNames } from '../../core/tables.ts';
import { createTables } from '../../local/engine/create-tables.ts';
import type { RecordWrite } from '../../local/engine/dynalite-modules.ts';
import { openStore } from '../../local/engine/dynalite-store.ts';
import { type EngineResponse, type JsonObject, responseTo } from '../../local/engine/protocol.ts';
import { writeTransaction } from '../../local/engine/transactions.ts';
import { inconsistenciesIn } from '../support/content.ts';

export const TABLES = prefixedTableNames('orders-');

/** One call of the document client, as it reaches the engine. */
export interface Request {
  readonly operation: string;
  readonly input: JsonObject;
}

/** All that is stored, by the key of its record. Equal states are the same object. */
export interface StoredState {
  readonly id: number;
  readonly records: ReadonlyMap<string, JsonObject>;
}

/** What the engine makes of a request: nothing is stored before the writes are applied. */
export interface RequestResult {
  readonly response: EngineResponse;
  readonly writes: readonly RecordWrite[];
}

/** A document client whose requests go to `send`. */
export const clientOn = (send: (request: Request) => Promise<EngineResponse>) =>
  documentClient(
    new DynamoDBClient({
      endpoint: 'http://127.0.0.1',
      region: 'eu-west-2',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
      signer: { sign: async (request) => request },
      requestHandler: {
        handle: async ({ headers: { 'x-amz-target': target = '' }, body }: HttpRequest) => {
          const request = { operation: target.replace(/^.*\./, ''), input: JSON.parse(new TextDecoder().decode(body)) };
          const { status: statusCode, body: answer } = await send(request);
          const headers = { 'content-type': 'application/x-amz-json-1.0' };
          return { response: new HttpResponse({ statusCode, headers, body: Buffer.from(JSON.stringify(answer)) }) };
        },
      },
    }),
  );

/** A function that computes each result once. */
export const memoised = <Args extends readonly unknown[], Result>(
  keyOf: (...args: Args) => unknown,
  compute: (...args: Args) => Result,
) => {
  const known = new Map<unknown, Result>();
  return (...args: Args): Result => {
    const key = keyOf(...args);
    const result = known.get(key) ?? compute(...args);
    known.set(key, result);
    return result;
  };
};

const store = await openStore();
const tablesClient = clientOn(({ operation, input }) => store.perform(operation, input));
await createTables(tablesClient, TABLES);

/** The same for equal records, in whatever order their attributes were written. */
const sortedText = (record: object): string =>
  JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

const textOf = memoised((record: JsonObject) => record, sortedText);

const known = new Map<string, StoredState>();

const stateOf = (records: ReadonlyMap<string, JsonObject>): StoredState => {
  const contents = [...records].map(([key, record]) => `${key} ${textOf(record)}`).sort();
  const fingerprint = hash('sha256', contents.join('\n'));
  const state = known.get(fingerprint) ?? { id: known.size, records };
  known.set(fingerprint, state);
  return state;
};

export const NOTHING = stateOf(new Map());

const applying = memoised(
  (writes: readonly RecordWrite[]) => writes,
  (writes) =>
    memoised(
      (state: StoredState) => state,
      ({ records }) => {
        const changed = new Map(records);
        for (const write of writes) {
          if (write.type === 'del') changed.delete(write.key);
          else changed.set(write.key, write.value as JsonObject);
        }
        return stateOf(changed);
      },
    ),
);

export const afterWrites = (state: StoredState, writes: readonly RecordWrite[]): StoredState =>
  writes.length === 0 ? state : applying(writes)(state);

let placed = NOTHING;

/** Brings the engine to a state, by the records in which its present one differs. */
const place = async (state: StoredState): Promise<void> => {
  const writes: RecordWrite[] = [];
  for (const [key, value] of state.records) {
    if (placed.records.get(key) !== value) writes.push({ type: 'put', key, value });
  }
  for (const key of placed.records.keys()) if (!state.records.has(key)) writes.push({ type: 'del', key });
  await store.commit(writes);
  placed = state;
};

export const perform = memoised(
  ({ id }: StoredState, { operation, input }: Request) => `${id} ${operation} ${JSON.stringify(input)}`,
  async (state, { operation, input }): Promise<RequestResult> => {
    await place(state);
    const writes: RecordWrite[] = [];
    const collecting = { ...store, commit: async (all: readonly RecordWrite[]) => void writes.push(...all) };
    const perform = () => {
      if (operation === 'TransactWriteItems') return writeTransaction(collecting, new Map(), input);
      return store.perform(operation, input, writes);
    };
    const response = await perform().catch(responseTo);
    return { response, writes };
  },
);

/** What is stored, as the invariants read it. */
export interface StoredContent {
  readonly items: readonly DynamoItem[];
  /** All but lists, slugs and revisions: items, vehicles, remembered creations, keys, counted requests. */
  readonly facts: string;
  readonly inconsistencies: readonly string[];
}

const MADE_FROM_ITEMS = ['list', 'counters', 'slug'];

const read = ({ records }: StoredState): StoredContent => {
  const content: DynamoItem[] = [];
  const facts: string[] = [];
  for (const [key, record] of records) {
    const { revision, ...entry }: DynamoItem = unmarshall(record as Record<string, AttributeValue>);
    const isContent = key.startsWith(`item-${TABLES.content}~`);
    if (isContent) content.push(entry);
    if (!isContent || !MADE_FROM_ITEMS.includes(String(entry.pk).replace(/#.*/, ''))) facts.push(sortedText(entry));
  }
  return {
    items: content.filter(({ sk }) => sk === 'item'),
    facts: facts.sort().join(),
    inconsistencies: inconsistenciesIn(content),
  };
};

export const storedIn = memoised((state: StoredState) => state, read);
