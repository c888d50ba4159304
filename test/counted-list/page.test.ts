import { type QueryCommandInput, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countedLists } from '../../core/counted-list/counted-list.ts';
import type { TransactWrite } from '../../core/dynamodb/transact.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';

let engine: TestEngine;
/** A client that calls `others` once, after it has read the counters of a list and before it reads its members. */
let reader: TestEngine['client'];
let others: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  engine = await startEngine();
  reader = clientOf(engine.endpoint);
  reader.middlewareStack.add(
    (next) => async (args) => {
      const { ExpressionAttributeValues = {} } = args.input as Partial<QueryCommandInput>;
      if (String(ExpressionAttributeValues[':pk']).startsWith('members#')) {
        const act = others;
        others = undefined;
        await act?.();
      }
      return next(args);
    },
    { step: 'initialize' },
  );
});
afterAll(async () => {
  reader.destroy();
  await engine.stop();
});

const lists = () => countedLists(engine.client, engine.names.content);
const commit = (TransactItems: TransactWrite[]) => engine.client.send(new TransactWriteCommand({ TransactItems }));

/** Members are named like their positions: 0, 1, 2 … */
const join = async (name: string, count: number): Promise<void> => {
  for (let joined = 0; joined < count; joined += 1) {
    const position = await lists().allocate(name);
    await commit(lists().append(name, [{ position, id: String(position) }]));
  }
};
const leave = (name: string, position: number) => commit(lists().remove(name, position));

describe('A page that is read while members are added and removed', () => {
  it.each<[string, number, [number, number], (name: string) => Promise<unknown>, string[], number]>([
    ['has the older members, however many were added', 1, [0, 50], (list) => join(list, 3), ['3', '2', '1', '0'], 4],
    ['has the newest members when more were added than fit', 2, [0, 3], (list) => join(list, 3), ['4', '3', '2'], 5],
    ['has a total beyond the page when it was full before', 3, [0, 3], (list) => join(list, 1), ['3', '2', '1'], 4],
    ['is still the last page after members were removed', 5, [2, 3], (list) => leave(list, 0), ['2', '1'], 4],
  ])('%s', async (list, members, [offset, limit], change, ids, total) => {
    await join(list, members);
    others = () => change(list);
    expect(await countedLists(reader, engine.names.content).page(list, offset, limit)).toEqual({ ids, total });
  });
});
