/** The process of a function: loads its handler as Lambda does, then invokes it as its parent asks, one event at a time. */
// Lambda's runtime client has loaded it before any function, so no bundle pays for it.
import 'node:http';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

/** The first message to the parent. */
export interface Loaded {
  readonly pid: number;
  readonly importMs: number;
  /** User and system time of the import. */
  readonly cpuMs: number;
}

/** Events for the handler, each so many times. */
export interface Work {
  readonly events: readonly object[];
  readonly repeat: number;
}

export interface Invocation {
  readonly ms: number;
  /** User and system time of the process meanwhile. */
  readonly cpuMs: number;
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The outcome of some work. */
export interface Block {
  readonly invocations: readonly Invocation[];
  /** User and system time of all of them together. */
  readonly cpuMs: number;
  /** Of the process since its start. */
  readonly peakMegabytes: number;
}

const cpuSince = (before?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const [file = ''] = process.argv.slice(2);
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { handler } = await (file.endsWith('.mjs') ? import(file) : createRequire(file)(file));
const importMs = performance.now() - startedAt;
process.send?.({ pid: process.pid, importMs, cpuMs: cpuSince(cpuBefore) } satisfies Loaded);

const invoke = async (event: object, context: object): Promise<Invocation> => {
  const before = process.cpuUsage();
  const invokedAt = performance.now();
  const { statusCode, headers, body } = await handler(event, context);
  return { ms: performance.now() - invokedAt, cpuMs: cpuSince(before), statusCode, headers, body };
};

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ events, repeat }: Work) => {
  // Made before the clock starts, as Lambda's runtime would; each event is new, since some handlers write into theirs.
  const prepared = events.flatMap((event) =>
    Array.from({ length: repeat }, () => {
      const awsRequestId = randomUUID();
      const context = {
        awsRequestId,
        functionName: 'bench',
        memoryLimitInMB: '512',
        getRemainingTimeInMillis: () => 10_000,
      };
      return [{ ...event }, context] as const;
    }),
  );
  const invocations: Invocation[] = [];
  const before = process.cpuUsage();
  for (const [event, context] of prepared) invocations.push(await invoke(event, context));
  const peakMegabytes = process.resourceUsage().maxRSS / 1_024;
  process.send?.({ invocations, cpuMs: cpuSince(before), peakMegabytes } satisfies Block);
});
