import { expect, it } from '@jest/globals';
import { recordWriter } from '../../lib/admin/file-command/record-writer.ts';

it.each(['put', 'finish'] as const)(
  'A writer throws its first error from %s once no request is in flight',
  async (next) => {
    const slow = Promise.withResolvers<void>();
    const ended: string[] = [];
    const write = async ([entry]: readonly string[]) => {
      if (entry === 'slow') await slow.promise;
      ended.push(String(entry));
      if (entry === 'bad') throw new Error('first');
      return ['loaded' as const];
    };
    const fits = ({ length }: readonly string[]) => length <= 1;
    const writer = recordWriter({ requestsInFlight: 2, fits, write }, (_place: string) => undefined);
    for (const entry of ['slow', 'bad', 'batched']) await writer.put(entry, entry);
    const thrown = Promise.resolve(next === 'put' ? writer.put('late', 'late') : writer.finish()).catch(
      (error: Error) => void ended.push(error.message),
    );
    // Time for an error that is thrown too early.
    await new Promise(setImmediate);
    slow.resolve();
    await thrown;
    expect(ended).toEqual(['bad', 'slow', 'first']);
    expect(writer.confirmed()).toEqual('slow');
  },
);

it('A writer confirms no record while an earlier one is in flight', async () => {
  const slow = Promise.withResolvers<void>();
  const write = async ([entry]: readonly string[]) => {
    if (entry === 'slow') await slow.promise;
    return ['loaded' as const];
  };
  const writer = recordWriter({ requestsInFlight: 2, fits: ({ length }) => length <= 1, write }, () => undefined);
  for (const entry of ['slow', 'quick', 'batched']) await writer.put(entry, entry);
  // Time for the quick one to end.
  await new Promise(setImmediate);
  const confirmed = writer.confirmed();
  slow.resolve();
  await writer.finish();
  expect([confirmed, writer.confirmed()]).toEqual([undefined, 'batched']);
});
