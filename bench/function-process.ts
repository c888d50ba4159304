/** The process of a function: loads its handler as Lambda does, then invokes it for one event at a time. */
// Lambda's runtime client has loaded it before any function, so no bundle pays for it.
import 'node:http';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The first message to the parent. */
export interface Loaded {
  readonly importMs: number;
  /** User and system time of the import. */
  readonly cpuMs: number;
}

export interface Invocation {
  readonly ms: number;
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** The outcome of a message with events. */
export interface Block {
  readonly invocations: readonly Invocation[];
  /** User and system time of all of them together. */
  readonly cpuMs: number;
}

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** The second argument is the file that takes the ids of the processes of a control group. */
const [file = '', group] = process.argv.slice(2);
if (group !== undefined) writeFileSync(group, String(process.pid));
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { handler } = await (file.endsWith('.mjs') ? import(file) : createRequire(file)(file));
const importMs = performance.now() - startedAt;
process.send?.({ importMs, cpuMs: cpuSince(cpuBefore) } satisfies Loaded);

const contextOf = () => ({
  awsRequestId: randomUUID(),
  functionName: 'bench',
  memoryLimitInMB: '512',
  getRemainingTimeInMillis: () => 10_000,
});

const invoke = async (event: object, context: object): Promise<Invocation> => {
  const invokedAt = performance.now();
  const { statusCode, headers, body, isBase64Encoded } = await handler(event, context);
  return { ms: performance.now() - invokedAt, statusCode, headers, body, isBase64Encoded };
};

process.on('disconnect', () => process.exit(0));
process.on('message', async (events: readonly object[]) => {
  // Made before the clock starts, as Lambda's runtime would.
  const prepared = events.map((event) => [event, contextOf()] as const);
  const invocations: Invocation[] = [];
  const before = process.cpuUsage();
  for (const invocation of prepared) invocations.push(await invoke(...invocation));
  process.send?.({ invocations, cpuMs: cpuSince(before) } satisfies Block);
});
