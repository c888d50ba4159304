import { expect, it } from '@jest/globals';
import { writeBatches } from '../../lib/admin/file-command/record-writer.ts';

/** Writes batches with names of what they do, three at a time. @returns what happened, in its order */
const written = async (...batches: readonly string[]): Promise<string[]> => {
  const slow = Promise.withResolvers<void>();
  const events: string[] = [];
  const source = async function* () {
    for (const batch of batches) {
      if (batch === 'unreadable') throw new Error(batch);
      yield batch;
    }
  };
  const write = async (batch: string) => {
    if (batch.startsWith('slow')) await slow.promise;
    if (batch.endsWith('bad')) throw new Error(batch);
    events.push(batch);
  };
  const writing = (async () => {
    for await (const batch of writeBatches(source(), write, 3)) events.push(`${batch} is confirmed`);
  })().catch(({ message }: Error) => void events.push(`thrown: ${message}`));
  // Time for everything that does not wait for the slow one.
  await new Promise(setImmediate);
  slow.resolve();
  await writing;
  return events;
};

it('The first error of a write is thrown once no request is in flight', async () => {
  expect(await written('slow', 'bad', 'late')).toEqual(['slow', 'slow is confirmed', 'thrown: bad']);
});

it('An error of the source is thrown once no request is in flight', async () => {
  const events = await written('slow', 'quick', 'quick', 'unreadable');
  expect([events.includes('slow'), events.at(-1)]).toEqual([true, 'thrown: unreadable']);
});

it('No batch is confirmed before every earlier one is written', async () => {
  expect(await written('slow', 'quick')).toEqual(['quick', 'slow', 'slow is confirmed', 'quick is confirmed']);
  expect(await written('slow and bad', 'quick')).toEqual(['quick', 'thrown: slow and bad']);
});
