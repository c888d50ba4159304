/** One fresh process: loads a bundle, invokes it once, and reports how long both took and the peak memory. */
import { type Answer, invocationContext, loadHandler, lookupEvent } from './lambda.ts';

/** One process from its start to its first answer. */
export interface ColdStart {
  readonly importMs: number;
  readonly firstAnswerMs: number;
  /** User and system time of both. */
  readonly cpuMs: number;
  readonly peakMegabytes: number;
  readonly answer: Answer;
}

const [bundle = '', key = ''] = process.argv.slice(2);
const event = lookupEvent(key);
const context = invocationContext();

const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const handler = await loadHandler(bundle);
const importedAt = performance.now();
const answer = await handler(event, context);
const answeredAt = performance.now();
const { user, system } = process.cpuUsage(cpuBefore);

const coldStart: ColdStart = {
  importMs: importedAt - startedAt,
  firstAnswerMs: answeredAt - importedAt,
  cpuMs: (user + system) / 1_000,
  peakMegabytes: process.resourceUsage().maxRSS / 1_024,
  answer,
};
process.on('disconnect', () => process.exit(0));
process.send?.(coldStart);
