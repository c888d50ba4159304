/** Counter updates of a free key that ignores 429, over many instances of the insurance lookup. */
import { setImmediate } from 'node:timers/promises';
import { PLANS } from '../core/access/plans.ts';
import { database } from '../core/dynamodb/database.ts';
import type { GatewayHandler } from '../functions/http/http-function.ts';
import { meter } from '../test/support/metered-client.ts';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { lookupEvent } from './events.ts';
import { atMost, grouped, showProgress, targetTable } from './report.ts';

/** In one window: 1,000 a second, the throttle of a stage. */
const REQUESTS = 60_000;
/** As in Lambda, an instance has one request at a time, so at most as many are in flight. */
const INSTANCES = 50;

/** Each evaluation of the handler's module has a memory of its own, as an instance in Lambda has. */
const instanceOf = async (number: number): Promise<GatewayHandler> => {
  const module = new URL(`../functions/endpoints/vehicle-insurance/handler.ts?${number}`, import.meta.url);
  return ((await import(module.href)) as { readonly handler: GatewayHandler }).handler;
};

const measure = async (): Promise<readonly string[]> => {
  const { newKey, close } = await prepareEngine();
  try {
    const { key } = await newKey({ plan: 'free' });
    const event = lookupEvent(key);
    const statuses = new Map<number, number>();
    let sent = 0;
    const sendFrom = async (handler: GatewayHandler): Promise<void> => {
      while (sent < REQUESTS) {
        sent += 1;
        const { statusCode = 0 } = await handler(event);
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        if (sent % 1_000 === 0) showProgress(sent, REQUESTS, 'requests');
        await setImmediate();
      }
    };
    const instances = await Promise.all(Array.from({ length: INSTANCES }, (_, number) => instanceOf(number)));
    const { writeUnits, readUnits } = await meter(database())(() => Promise.all(instances.map(sendFrom)));
    const limit = PLANS.free.requestsPerWindow;
    const counted = [...statuses].map(([status, count]) => `${grouped(count)} × ${status}`).join(', ');
    return [
      targetTable(atMost('Counter updates', 2 * limit + 2 * INSTANCES, writeUnits, 0)),
      `${grouped(REQUESTS)} lookups with a free key in one window, ${INSTANCES} instances, one at a time each. Statuses: ${counted}; read units: ${grouped(readUnits)}.`,
    ];
  } finally {
    close();
  }
};
export default measure;
