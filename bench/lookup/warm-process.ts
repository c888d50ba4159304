/** A process that has loaded a bundle and, whenever its parent says how often, invokes it: one invocation after the other. */
import { invocationContext, loadHandler, lookupEvent } from './lambda.ts';

/** Invocations without a break. */
export interface Block {
  /** User and system time of this process for all of them together. */
  readonly cpuMs: number;
  /** Of each. */
  readonly latenciesMs: readonly number[];
  /** Those of the answers, each status once. */
  readonly statusCodes: readonly number[];
}

const [bundle = '', key = ''] = process.argv.slice(2);
const handler = await loadHandler(bundle);

const block = async (invocations: number): Promise<Block> => {
  // Made before, as Lambda's runtime would; each event is new, since some handlers write into theirs.
  const requests = Array.from({ length: invocations }, () => [lookupEvent(key), invocationContext()] as const);
  const latenciesMs: number[] = [];
  const statusCodes = new Set<number>();
  const before = process.cpuUsage();
  for (const [event, context] of requests) {
    const startedAt = performance.now();
    const { statusCode } = await handler(event, context);
    latenciesMs.push(performance.now() - startedAt);
    statusCodes.add(statusCode);
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000, latenciesMs, statusCodes: [...statusCodes] };
};

process.on('disconnect', () => process.exit(0));
process.on('message', async (invocations: number) => {
  process.send?.(await block(invocations));
});
