import { type QueryCommandInput, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countedLists } from '../../core/counted-list/counted-list.ts';
import { readListedItems } from '../../core/counted-list/listed-items.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { clientOf, type TestEngine } from '../support/engine.ts';
import { useEngine } from '../support/use-engine.ts';

const engine = useEngine();
/** A client that calls `others` once, after it has read the counters of a list and before it reads its members. */
let reader: TestEngine['client'];
let others: (() => Promise<unknown>) | undefined;

beforeAll(() => {
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
afterAll(() => reader.destroy());

/** Members are named like their positions: 0, 1, 2 … */
const join = async (name: string, count: number): Promise<void> => {
  const lists = countedLists(engine.client, engine.names.content);
  const first = await lists.allocate(name, count);
  const members = Array.from({ length: count }, (_, nth) => ({ position: first + nth, id: String(first + nth) }));
  await engine.client.send(new TransactWriteCommand({ TransactItems: lists.append(name, members) }));
};

/** Every page beside every change: `npm run test:orders`, whose lists never grow by more than one member. */
it.each([
  { list: 'the older members, however many were added', before: 1, limit: 50, ids: ['3', '2', '1', '0'] },
  { list: 'the newest members when more were added than fit', before: 2, limit: 3, ids: ['4', '3', '2'] },
])('A page that is read while three members are added has $list', async ({ list, before, limit, ids }) => {
  await join(list, before);
  others = () => join(list, 3);
  const page = await countedLists(reader, engine.names.content).page(list, 0, limit);
  expect(page).toEqual({ ids, total: before + 3 });
});

/** A list from which items leave after their ids were read. With every change of content: `npm run test:orders`. */
it('A position is never guessed: a response without one is an error', async () => {
  const silent = { send: async () => ({ Attributes: {} }) } as unknown as TestEngine['client'];
  await expect(countedLists(silent, 'content').allocate('all')).rejects.toThrow('no allocated position');
});

describe('A page of items', () => {
  /** The ids on a page of `b` and `a`, and how often `a` was read; `a` is like this at each reading, from 1. */
  const readPage = async (itemAt: (reading: number) => object | undefined, milliseconds = 20_000) => {
    let readings = 0;
    const source = {
      readIds: async () => {
        readings += 1;
        return { ids: ['b', 'a'], total: 2 };
      },
      readItems: async (wanted: readonly string[]) =>
        [{ id: 'b' }, itemAt(readings) ?? []]
          .flat()
          .map((fields) => ({ id: 'a', version: 1, isListed: true, ...fields }))
          .filter(({ id }) => wanted.includes(id)),
      belongs: ({ isListed }: { readonly isListed: boolean }) => isListed,
    };
    const { items } = await readListedItems(source, deadlineIn(milliseconds));
    return { ids: items.map(({ id }) => id), readings };
  };

  it('is read again for as long as an item moves, and is shorter at the deadline', async () => {
    const movingUntil = (last: number) => (version: number) => ({ version, isListed: version >= last });
    expect(await readPage(movingUntil(6))).toEqual({ ids: ['b', 'a'], readings: 6 });
    expect(await readPage(movingUntil(Infinity), 300)).toMatchObject({ ids: ['b'] });
  });

  it('is read three times when a member has no item, which is an inconsistency', async () => {
    expect(await readPage(() => undefined)).toEqual({ ids: ['b'], readings: 3 });
  });
});
