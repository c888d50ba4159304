import { keysTable } from '../../functions/access/keys-table.ts';
import { createDatabase } from '../../functions/dynamodb/database.ts';
import { LOCAL_TABLE_NAMES } from '../../functions/tables.ts';
import { type DemoKeys, demoKeys } from './demo-keys.ts';
import { createTables } from './engine/create-tables.ts';
import { loadSampleContent, loadSampleVehicles } from './load-sample-data.ts';

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Makes tables, sample data and demo keys, as `npm start` does. */
export const fillDatabase = async (endpoint: string, now: Date): Promise<DemoKeys> => {
  const db = createDatabase({ region: 'eu-west-2', endpoint, credentials: CREDENTIALS });
  try {
    await createTables(db, LOCAL_TABLE_NAMES);
    await loadSampleVehicles(db, LOCAL_TABLE_NAMES, now);
    await loadSampleContent(db, LOCAL_TABLE_NAMES, now);
    return await demoKeys(keysTable(db, LOCAL_TABLE_NAMES.keys), now);
  } finally {
    db.destroy();
  }
};
