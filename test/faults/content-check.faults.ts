import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { contentTable } from '../../core/content/content-table.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { moment, someFields } from '../support/content.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';
import { seededNumbers } from '../support/fault-choosers.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const CHECKS = bySize(20, 300);
const CLIENTS = 3;
/** Milliseconds by which a request is late at most, and as much again its response. */
const CHECK_DELAY_MS = 5;
const CHANGE_DELAY_MS = 20;

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const delayedClient = (maxMs: number, seed: number) => {
  const db = clientOf(engine.endpoint);
  const next = seededNumbers(seed);
  db.middlewareStack.add(
    (send) => async (args) => {
      await sleep(next() * maxMs);
      const answer = await send(args);
      await sleep(next() * maxMs);
      return answer;
    },
    { step: 'initialize' },
  );
  return db;
};

/** What a check may report and must repair while others change content is searched in every order by `test/orders`. */
it(
  'content check leaves a bucket uncounted because of its traffic in at most 1 % of the checks',
  async () => {
    const [operator, callers] = [delayedClient(CHECK_DELAY_MS, 1), delayedClient(CHANGE_DELAY_MS, 2)];
    const content = contentTable(callers, engine.names.content, 'live');
    let isEnding = false;
    let changes = 0;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let nth = 0; !isEnding; nth += 1) {
        const { id } = await content.create(someFields('a.example', `item-${client}-${nth}`), undefined, moment());
        await content.update(id, { domain: 'b.example' }, undefined, moment());
        await content.remove(id, undefined, moment());
        changes += 3;
      }
    });
    let busy = 0;
    for (let checks = 0; checks < CHECKS; checks += 1) {
      const report = await checkContent(operator, engine.names.content);
      expect(report.inconsistencies).toEqual([]);
      if (report.busy.length > 0) busy += 1;
    }
    isEnding = true;
    await Promise.all(clients);
    operator.destroy();
    callers.destroy();
    reportFigures('content check', { checks: CHECKS, changes, busy });
    expect(changes).toBeGreaterThan(CHECKS);
    expect(busy).toBeLessThanOrEqual(CHECKS / 100);
  },
  TIMEOUT_MS,
);
