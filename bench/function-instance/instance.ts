/** A function's execution environment: loads it once, then invokes it as Lambda does, one invocation at a time. */
import { createRequire } from 'node:module';

/** An invocation as its caller sees it. */
export interface Invocation {
  readonly ms: number;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What Lambda grants a function of this service, in milliseconds. */
const TIME_MS = 10_000;
const CONTEXT = { getRemainingTimeInMillis: () => TIME_MS, functionName: 'bench' };

const [file = ''] = process.argv.slice(2);
const { handler } = createRequire(import.meta.url)(file);

const invoke = async (event: object): Promise<Invocation> => {
  const started = performance.now();
  const { statusCode, headers, body } = await handler(event, CONTEXT);
  return { ms: performance.now() - started, statusCode, headers, body };
};

process.on('disconnect', () => process.exit(0));
process.on('message', async (events: readonly object[]) => {
  const invocations: Invocation[] = [];
  for (const event of events) invocations.push(await invoke(event));
  process.send?.(invocations);
});
