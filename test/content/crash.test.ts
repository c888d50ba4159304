import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { contentImport } from '../../lib/content-maintenance/content-import.ts';
import { moment, someFields } from '../support/content.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';
import { type Fault, startFaultProxy } from '../support/fault-proxy.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/**
 * Imports new items, of which the nth database call fails and all calls after it, as when the process ends.
 * @returns the number of calls
 */
const importItems = async (prefix: string, nth: number, fault: Fault, milliseconds?: number): Promise<number> => {
  // Each with its own connections, so that no request of an earlier one is still running.
  const faults = await startFaultProxy(engine.endpoint);
  const db = clientOf(faults.endpoint);
  faults.inject((call) => (call.nth < nth ? undefined : call.nth === nth ? fault : 'resetBefore'));
  const rows = [1, 2, 3].map((n) => someFields(n === 2 ? 'other.example' : 'many.example', `${prefix}-${n}`));
  try {
    await contentImport(db, engine.names.content).importBatch(rows, moment(milliseconds));
    return faults.calls.length;
  } finally {
    db.destroy();
    await faults.close();
  }
};

/** What requests change is searched with every crash in `test/orders`. */
it.each(['resetBefore', 'resetAfter'] as const)(
  'An import that crashes at any database call (%s) is applied whole or not',
  async (fault) => {
    const calls = await importItems(`whole-${fault}`, Number.POSITIVE_INFINITY, fault);
    expect(calls).toBeGreaterThan(1);
    for (let nth = 1; nth <= calls; nth += 1) {
      await expect(importItems(`${fault}-${nth}`, nth, fault, 150)).rejects.toThrow();
      const { items, inconsistencies } = await checkContent(engine.client, engine.names.content);
      expect([items % 3, inconsistencies]).toEqual([0, []]);
    }
  },
);
