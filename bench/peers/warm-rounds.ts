import type { Progress } from '../../tools/report/report.ts';
import type { Bundle } from './bundle.ts';
import { inTurn, onField, type PeerProcess } from './peer-process.ts';
import type { Block } from './warm-process.ts';

/** How much is measured. */
export interface Extent {
  /** Each has fresh processes. */
  readonly rounds: number;
  /** Blocks before any is counted, so that the code is warm. */
  readonly warmUps: number;
  readonly blocks: number;
  /** Invocations of a block. */
  readonly invocations: number;
}

/** The counted blocks of one process. */
export type Round = readonly Block[];

const askBlock = async (process: PeerProcess, invocations: number): Promise<Block> => {
  process.say(invocations);
  const block = await process.told<Block>();
  if (block.statusCodes.some((status) => status !== 200))
    throw new Error(`answers were ${block.statusCodes.join(', ')}`);
  return block;
};

/**
 * Invokes each peer in blocks that take turns, so that whatever else the machine does strikes all of them alike.
 * @throws Error when one answers otherwise than by 200
 */
export const warmRounds = (
  { rounds, warmUps, blocks, invocations }: Extent,
  progress: Progress,
): Promise<ReadonlyMap<Bundle, readonly Round[]>> =>
  onField('warm-process', async ({ bundles, start }) => {
    const counted = new Map<Bundle, Round[]>(bundles.map((bundle) => [bundle, []]));
    for (let round = 0; round < rounds; round += 1) {
      const running = bundles.map((bundle) => ({ bundle, process: start(bundle), counted: [] as Block[] }));
      for (let block = 0; block < warmUps + blocks; block += 1) {
        progress(round * (warmUps + blocks) + block, rounds * (warmUps + blocks), 'blocks in turns');
        for (const { process, counted } of inTurn(running, block)) {
          const measured = await askBlock(process, invocations);
          if (block >= warmUps) counted.push(measured);
        }
      }
      for (const { bundle, process, counted: blocksOfRound } of running) {
        counted.get(bundle)?.push(blocksOfRound);
        await process.end();
      }
    }
    return counted;
  });
