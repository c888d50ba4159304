import type { FunctionInstance } from './function-instance/function-instance.ts';

/** One of those that are compared, and what it is asked over and over. */
export interface Contestant {
  readonly instance: FunctionInstance;
  readonly event: object;
}

/** Invocations without a break; long enough to be warm, short enough that noise strikes every contestant alike. */
const BLOCK = 25;

const measureBlock = async ({ instance, event }: Contestant, invocations: number): Promise<number[]> => {
  const answered = await instance.invoke(Array.from({ length: invocations }, () => event));
  const refused = answered.find(({ statusCode }) => statusCode !== 200);
  if (refused) throw new Error(`a measured request was answered ${refused.statusCode}`);
  return answered.map(({ ms }) => ms);
};

/**
 * The milliseconds of `invocations` of each contestant, in blocks that take turns, after a block each to warm up.
 * @throws Error when one is answered otherwise than by 200
 */
export const interleaved = async (
  contestants: readonly Contestant[],
  invocations: number,
  { block = BLOCK, onBlock }: { readonly block?: number; readonly onBlock?: (done: number) => void } = {},
): Promise<readonly (readonly number[])[]> => {
  const times: number[][] = contestants.map(() => []);
  for (const contestant of contestants) await measureBlock(contestant, block);
  for (let done = 0; done < invocations; done += block) {
    for (const [index, contestant] of contestants.entries()) {
      times[index]?.push(...(await measureBlock(contestant, block)));
    }
    onBlock?.(done);
  }
  return times;
};
