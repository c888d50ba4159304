import { afterAll, expect, it } from '@jest/globals';
import { prefixedTableNames, tables } from '../../core/tables.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { startEmbeddedEngine } from '../../lib/local/engine/embedded.ts';
import { clientOf } from '../support/engine.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';

const engine = await startEmbeddedEngine({ port: 0 });
const proxy = await startFaultProxy(engine.endpoint);
const client = clientOf(proxy.endpoint);
afterAll(async () => {
  client.destroy();
  await proxy.close();
  await engine.close();
});

// `npm start` fills the tables that it has created.
it('A table counts as created when its creation was tried again because the first response was lost', async () => {
  const names = prefixedTableNames('again-');
  proxy.inject(forOperation('CreateTable', onNthCall(1, 'resetAfter')));
  expect(await createTables(client, names)).toEqual(Object.keys(tables));
  expect(await createTables(client, names)).toEqual([]);
});
