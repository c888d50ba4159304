/** A function in a process of its own that invokes it with one event over and over and says what processor time each took. */
import { invocationContext, loadHandler } from '../lookup/lambda.ts';

/** How often the parent wants one event answered. */
export interface Request {
  readonly event: object;
  readonly warmUps: number;
  readonly invocations: number;
}

/** What came of it. */
export interface Response {
  /** User and system time of this process during each invocation, milliseconds. */
  readonly cpuMs: readonly number[];
  /** Those of the answers, each status once. */
  readonly statusCodes: readonly number[];
}

const [bundle = ''] = process.argv.slice(2);
const handler = await loadHandler(bundle);

const measure = async ({ event, warmUps, invocations }: Request): Promise<Response> => {
  const cpuMs: number[] = [];
  const statusCodes = new Set<number>();
  for (let invocation = 0; invocation < warmUps + invocations; invocation += 1) {
    const before = process.cpuUsage();
    const { statusCode } = await handler(event, invocationContext());
    const { user, system } = process.cpuUsage(before);
    statusCodes.add(statusCode);
    if (invocation >= warmUps) cpuMs.push((user + system) / 1_000);
  }
  return { cpuMs, statusCodes: [...statusCodes] };
};

process.on('disconnect', () => process.exit(0));
process.on('message', async (request: Request) => {
  process.send?.(await measure(request));
});
