import type { Progress } from '../../tools/report/report.ts';
import type { Bundle } from './bundle.ts';
import type { ColdStart } from './cold-process.ts';
import { inTurn, onField } from './peer-process.ts';

/** A cold start, and the database requests that it sent. */
export type ObservedStart = ColdStart & { readonly requests: Readonly<Record<string, number>> };

/** Starts each peer `rounds` times in turns, so that whatever else the machine does strikes all of them alike. */
export const coldStarts = (
  rounds: number,
  progress: Progress,
): Promise<ReadonlyMap<Bundle, readonly ObservedStart[]>> =>
  onField('cold-process', async ({ bundles, stub, start }) => {
    const starts = new Map<Bundle, ObservedStart[]>(bundles.map((bundle) => [bundle, []]));
    for (let round = 0; round <= rounds; round += 1) {
      progress(round, rounds + 1, 'fresh processes');
      for (const bundle of inTurn(bundles, round)) {
        const process = start(bundle);
        const observed = { ...(await process.told<ColdStart>()), requests: await stub.tally() };
        await process.end();
        // The first round only warms the disk.
        if (round > 0) starts.get(bundle)?.push(observed);
      }
    }
    return starts;
  });
