import { type QueryCommandInput, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countedLists } from '../../core/counted-list/counted-list.ts';
import { listKeys } from '../../core/counted-list/entries.ts';
import type { TransactWrite } from '../../core/dynamodb/transact.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';

let engine: TestEngine;
/** A client that calls `beforeQuery` and `afterQuery` with the partition of each query. */
let observed: TestEngine['client'];
const ignore = async (_partition: string): Promise<void> => undefined;
let [beforeQuery, afterQuery] = [ignore, ignore];

beforeAll(async () => {
  engine = await startEngine();
  observed = clientOf(engine.endpoint);
  observed.middlewareStack.add(
    (next) => async (args) => {
      const partition = String((args.input as Partial<QueryCommandInput>).ExpressionAttributeValues?.[':pk']);
      await beforeQuery(partition);
      const answer = await next(args);
      await afterQuery(partition);
      return answer;
    },
    { step: 'initialize' },
  );
});
afterAll(async () => {
  observed.destroy();
  await engine.stop();
});

const lists = () => countedLists(engine.client, engine.names.content);
const commit = (TransactItems: TransactWrite[]) => engine.client.send(new TransactWriteCommand({ TransactItems }));

/** A new list. Its expected members are positions, newest first. */
const newList = (name: string) => {
  let members: number[] = [];
  return {
    members: () => members,
    join: async (count: number): Promise<void> => {
      for (let joined = 0; joined < count; joined += 1) {
        const position = await lists().allocate(name);
        await commit(lists().append(name, [{ position, id: String(position) }]));
        members = [position, ...members];
      }
    },
    leave: async (rank: number): Promise<void> => {
      const position = members[rank % Math.max(1, members.length)];
      if (position === undefined) return;
      await commit(lists().remove(name, position));
      members = members.filter((member) => member !== position);
    },
  };
};
type List = ReturnType<typeof newList>;

/** Reads a page; `others` run after its counters were read and before its members. */
const pageWhile = async (name: string, offset: number, limit: number, others: () => Promise<void>) => {
  beforeQuery = async (partition) => {
    if (!partition.startsWith('members#')) return;
    beforeQuery = ignore;
    await others();
  };
  const { ids, total } = await countedLists(observed, engine.names.content).page(name, offset, limit);
  return { ids: ids.map(Number), total };
};

describe('A page that is read while members are added and removed', () => {
  it.each<[string, number, [number, number], (list: List) => Promise<void>, number[], number]>([
    ['has the older members, however many were added', 1, [0, 50], ({ join }) => join(3), [3, 2, 1, 0], 4],
    ['has the newest members when more were added than fit', 2, [0, 3], ({ join }) => join(3), [4, 3, 2], 5],
    ['has a total beyond the page when it was full before', 3, [0, 3], ({ join }) => join(1), [3, 2, 1], 4],
    ['is still the last page after members were removed', 5, [2, 3], ({ leave }) => leave(4), [2, 1], 4],
  ])('%s', async (title, members, [offset, limit], change, ids, total) => {
    const list = newList(title);
    await list.join(members);
    expect(await pageWhile(title, offset, limit, () => change(list))).toEqual({ ids, total });
  });

  it('contains a member once when it moves from an older bucket to the newest', async () => {
    const name = 'returned';
    const positions = Array.from({ length: 520 }, (_, position) => ({ position, id: String(position) }));
    for (let start = 0; start < positions.length; start += 90) {
      await commit(lists().append(name, positions.slice(start, start + 90)));
    }
    const olderIsRead = Promise.withResolvers<void>();
    const hasReturned = olderIsRead.promise.then(async () => {
      await commit(lists().remove(name, 511));
      await commit(lists().append(name, [{ position: 520, id: '511' }]));
    });
    beforeQuery = async (partition) => {
      if (partition === listKeys('').memberPartition(name, 1)) await hasReturned;
    };
    afterQuery = async (partition) => {
      if (partition === listKeys('').memberPartition(name, 0)) olderIsRead.resolve();
    };
    const { ids, total } = await countedLists(observed, engine.names.content).page(name, 0, 20);
    [beforeQuery, afterQuery] = [ignore, ignore];
    const newest = Array.from({ length: 20 }, (_, n) => 519 - n).filter((position) => position !== 511);
    expect([ids, total]).toEqual([['511', ...newest.map(String)], 520]);
  });

  it('contains every member that was on it before and after, each once, in order', async () => {
    const change = fc.oneof(
      fc.record({ join: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ leave: fc.nat({ max: 12 }) }),
    );
    const small = fc.nat({ max: 12 });
    const scenario = fc.tuple(small, fc.array(change, { maxLength: 4 }), small, fc.integer({ min: 1, max: 12 }));
    let count = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async ([members, changes, offset, limit]) => {
        count += 1;
        const list = newList(`property-${count}`);
        await list.join(members);
        const before = list.members();
        const { ids, total } = await pageWhile(`property-${count}`, offset, limit, async () => {
          for (const one of changes) await ('join' in one ? list.join(one.join) : list.leave(one.leave));
        });
        beforeQuery = ignore;
        const onPage = (all: readonly number[]) => all.slice(offset, offset + limit);
        const stayed = onPage(before).filter((one) => onPage(list.members()).includes(one));
        expect(ids).toEqual(expect.arrayContaining(stayed));
        expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
        expect(total).toBeGreaterThanOrEqual(ids.length > 0 ? offset + ids.length : 0);
      }),
    );
  });
});
