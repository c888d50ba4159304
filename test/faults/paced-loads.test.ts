/** Loads beside lookups, at a table whose capacity is limited, as that of every table on AWS is. */

import { writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addImportCommands } from '../../admin/import/import-commands.ts';
import { prefixedTableNames } from '../../core/tables.ts';
import { createTables } from '../../local/engine/create-tables.ts';
import { type Engine, startEmbeddedEngine } from '../../local/engine/embedded.ts';
import type { PerformOperation } from '../../local/engine/http-server.ts';
import { isJsonObject, RejectedRequest, responseTo } from '../../local/engine/protocol.ts';
import { clientOf } from '../support/engine.ts';
import { vehicleLine } from '../support/import-files.ts';
import { aPolicy, NOON } from '../support/records.ts';
import { runCommandOn } from '../support/run-command-on.ts';
import { useFolder } from '../support/use-folder.ts';
import { TIMEOUT_MS } from './size.ts';

const LOADS = 20;
const VEHICLES_OF_EACH = 5;
/** A third of the units a second that all loads of a table may take together, because the embedded engine is slow. */
const SHARE = 1_000 / LOADS;
/** Units a second of a table that has hardly more than the loads may take. */
const CAPACITY = 1_200;

/** The read units of the last second. */
const taken: { readonly at: number; readonly units: number }[] = [];

const limitCapacity =
  (perform: PerformOperation): PerformOperation =>
  async (operation, input) => {
    const now = performance.now();
    while (taken.length > 0 && (taken[0]?.at ?? now) <= now - 1_000) taken.shift();
    if (taken.reduce((sum, { units }) => sum + units, 0) > CAPACITY) {
      return responseTo(new RejectedRequest('ProvisionedThroughputExceededException', 'The capacity is exceeded'));
    }
    const response = await perform(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' });
    const consumed = [response.body.ConsumedCapacity].flat().filter(isJsonObject);
    const units = consumed.reduce((sum, { CapacityUnits }) => sum + Number(CapacityUnits), 0);
    if (/^(Get|BatchGet|Scan)/.test(operation)) taken.push({ at: performance.now(), units });
    return response;
  };

const tableNames = prefixedTableNames('paced-');
const pathOf = useFolder('of each test');
let engine: Engine;
let db: ReturnType<typeof clientOf>;
beforeAll(async () => {
  engine = await startEmbeddedEngine({ port: 0, intercept: limitCapacity });
  db = clientOf(engine.endpoint, { maxAttempts: 1 });
  await createTables(db, tableNames);
});
afterAll(async () => {
  db.destroy();
  await engine.close();
});

it(
  'No lookup is throttled while twenty complete loads scan the table, each at its share',
  async () => {
    // Each vehicle takes three units.
    const long = { insurer: 'x'.repeat(100), type: 'x'.repeat(100) };
    const policies = Array.from({ length: 20 }, (_, nth) => aPolicy({ number: `P-${nth}`.padEnd(100, 'x'), ...long }));
    const registrationOf = (load: number, nth: number) => `V${load}X${nth}`;
    const load = async (nth: number, readUnits?: number) => {
      const path = pathOf(`${nth}.ndjson`);
      const lines = Array.from({ length: VEHICLES_OF_EACH }, (_, vehicle) =>
        vehicleLine({ registration: registrationOf(nth, vehicle), policies }),
      );
      await writeFile(path, lines.join('\n'));
      const place = { db, tableNames, now: new Date(NOON), readUnits };
      return runCommandOn(place, addImportCommands, 'import', 'vehicles', path, '--complete', '--supplier', `s${nth}`);
    };
    for (let nth = 0; nth < LOADS; nth += 1) await load(nth);

    let isOver = false;
    const loads = Promise.all(Array.from({ length: LOADS }, (_, nth) => load(nth, SHARE))).finally(() => {
      isOver = true;
    });
    let lookups = 0;
    while (!isOver) {
      const Key = { registration: registrationOf(lookups % LOADS, lookups % VEHICLES_OF_EACH) };
      // One attempt: an answer that the table throttles is an error.
      const { Item } = await db.send(new GetCommand({ TableName: tableNames.vehicles, Key }));
      expect(Item).toMatchObject(Key);
      lookups += 1;
      for (const until = performance.now() + 20; performance.now() < until; ) await setImmediate();
    }
    for (const counts of await loads) expect(counts).toMatchObject({ unchanged: VEHICLES_OF_EACH, removed: 0 });
    expect(lookups).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
