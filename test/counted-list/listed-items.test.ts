import { describe, expect, it } from '@jest/globals';
import { readListedItems } from '../../core/counted-list/listed-items.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';

const listed = (id: string, version = 1) => ({ id, version, isListed: true });
const left = (id: string, version = 2) => ({ id, version, isListed: false });

/** The ids on a page whose ids and items are these at each reading, from 1, and how often it was read. */
const readPage = async (
  idsAt: (reading: number) => readonly string[],
  itemsAt: (reading: number) => readonly ReturnType<typeof listed>[],
  milliseconds = 20_000,
) => {
  let readings = 0;
  const source = {
    readIds: async () => {
      readings += 1;
      return { ids: [...idsAt(readings)], total: 2 };
    },
    readItems: async (wanted: readonly string[]) => itemsAt(readings).filter(({ id }) => wanted.includes(id)),
    belongs: ({ isListed }: { readonly isListed: boolean }) => isListed,
  };
  const { items } = await readListedItems(source, deadlineIn(milliseconds));
  return { ids: items.map(({ id }) => id), readings };
};

/** With every change of content, on the database: `npm run test:orders`. */
describe('A list from which items leave after their ids were read', () => {
  it('shows the next item instead of one that moved to another list', async () => {
    const idsAt = (reading: number) => (reading === 1 ? ['c', 'b'] : ['b', 'a']);
    const page = await readPage(idsAt, () => [left('c'), listed('b'), listed('a')]);
    expect(page).toEqual({ ids: ['b', 'a'], readings: 2 });
  });

  it('is read again for as long as an item moves, and is shorter at the deadline', async () => {
    const movingUntil = (last: number) => (reading: number) => [
      listed('b'),
      reading < last ? left('a', reading) : listed('a', reading),
    ];
    expect(await readPage(() => ['b', 'a'], movingUntil(6))).toEqual({ ids: ['b', 'a'], readings: 6 });
    expect(await readPage(() => ['b', 'a'], movingUntil(Infinity), 300)).toMatchObject({ ids: ['b'] });
  });

  it('is read three times when a member has no item, which is an inconsistency', async () => {
    expect(
      await readPage(
        () => ['b', 'a'],
        () => [listed('b')],
      ),
    ).toEqual({ ids: ['b'], readings: 3 });
  });
});
