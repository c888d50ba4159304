import { type QueryCommandInput, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countedLists } from '../../functions/counted-list/counted-list.ts';
import { memberPartition } from '../../functions/counted-list/entries.ts';
import type { TransactWrite } from '../../functions/dynamodb/transact.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';

let engine: TestEngine;
/** A client that runs `others` before its next query for members. */
let interrupted: { client: TestEngine['client']; by: (others: () => Promise<void>) => void };

const interruptedClient = () => {
  const client = clientOf(engine.endpoint);
  let others: (() => Promise<void>) | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const { ':pk': partition } = (args.input as Partial<QueryCommandInput>).ExpressionAttributeValues ?? {};
      if (String(partition).startsWith('members#')) {
        const act = others;
        others = undefined;
        await act?.();
      }
      return next(args);
    },
    { step: 'initialize' },
  );
  return {
    client,
    by: (act: () => Promise<void>) => {
      others = act;
    },
  };
};

beforeAll(async () => {
  engine = await startEngine();
  interrupted = interruptedClient();
});
afterAll(async () => {
  interrupted.client.destroy();
  await engine.stop();
});

const lists = () => countedLists(engine.client, engine.names.content);
const commit = async (TransactItems: TransactWrite[]): Promise<void> => {
  await engine.client.send(new TransactWriteCommand({ TransactItems }));
};

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
    /** Reads a page while `others` run between its requests. */
    page: async (offset: number, limit: number, others: () => Promise<void>) => {
      interrupted.by(others);
      const { ids, total } = await countedLists(interrupted.client, engine.names.content).page(name, offset, limit);
      return { ids: ids.map(Number), total };
    },
  };
};

describe('A page that is read while members are added and removed', () => {
  it('has the members from before, however many were added after the counters were read', async () => {
    const list = newList('joined');
    await list.join(1);
    const { ids, total } = await list.page(0, 50, () => list.join(3));
    expect([ids, total]).toEqual([[3, 2, 1, 0], 4]);
  });

  it('has the newest members when more were added than fit', async () => {
    const list = newList('full');
    await list.join(2);
    const { ids, total } = await list.page(0, 3, () => list.join(3));
    expect([ids, total]).toEqual([[4, 3, 2], 5]);
  });

  it('has a total beyond the page when it was full before others were added', async () => {
    const list = newList('outgrown');
    await list.join(3);
    const { ids, total } = await list.page(0, 3, () => list.join(1));
    expect([ids, total]).toEqual([[3, 2, 1], 4]);
  });

  it('is still the last page after members were removed', async () => {
    const list = newList('left');
    await list.join(5);
    const { ids, total } = await list.page(2, 3, () => list.leave(4));
    expect([ids, total]).toEqual([[2, 1], 4]);
  });

  it('has a member once that moves from an older bucket to the newest', async () => {
    const name = 'returned';
    const positions = Array.from({ length: 520 }, (_, position) => ({ position, id: String(position) }));
    for (let start = 0; start < positions.length; start += 90) {
      await commit(lists().append(name, positions.slice(start, start + 90)));
    }
    const heldClient = clientOf(engine.endpoint);
    heldClient.middlewareStack.add(
      (next) => async (args) => {
        const { ':pk': partition } = (args.input as Partial<QueryCommandInput>).ExpressionAttributeValues ?? {};
        if (partition === memberPartition(name, 1)) await hasReturned;
        const answer = await next(args);
        if (partition === memberPartition(name, 0)) olderIsRead();
        return answer;
      },
      { step: 'initialize' },
    );
    let olderIsRead: () => void = () => undefined;
    const hasReturned = new Promise<void>((resolve) => {
      olderIsRead = resolve;
    }).then(async () => {
      await commit(lists().remove(name, 511));
      await commit(lists().append(name, [{ position: 520, id: '511' }]));
    });
    const { ids, total } = await countedLists(heldClient, engine.names.content).page(name, 0, 20);
    heldClient.destroy();
    expect(ids).toEqual([
      '511',
      ...Array.from({ length: 8 }, (_, n) => String(519 - n)),
      ...Array.from({ length: 11 }, (_, n) => String(510 - n)),
    ]);
    expect(total).toBe(520);
  });

  it('has every member that was on it before and after, each once, in order', async () => {
    const change = fc.oneof(
      fc.record({ join: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ leave: fc.nat({ max: 12 }) }),
    );
    let lists = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 12 }),
        fc.array(change, { maxLength: 4 }),
        fc.nat({ max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        async (members, changes, offset, limit) => {
          lists += 1;
          const list = newList(`property-${lists}`);
          await list.join(members);
          const before = list.members();
          const { ids, total } = await list.page(offset, limit, async () => {
            for (const one of changes) await ('join' in one ? list.join(one.join) : list.leave(one.leave));
          });
          const after = list.members();
          const placesOf = (all: readonly number[]) => all.slice(offset, offset + limit);
          expect(ids).toEqual(expect.arrayContaining(placesOf(before).filter((one) => placesOf(after).includes(one))));
          expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
          expect(total).toBeGreaterThanOrEqual(ids.length > 0 ? offset + ids.length : 0);
        },
      ),
    );
  });
});
