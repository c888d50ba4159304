import { keysTable } from '../../functions/access/keys-table.ts';
import { createDatabase } from '../../functions/dynamodb/database.ts';
import { LOCAL_TABLE_NAMES } from '../../functions/tables.ts';
import { type DemoKeys, demoKeys } from './demo-keys.ts';
import { createTables } from './engine/create-tables.ts';
import { loadSampleContent, loadSampleVehicles, refreshSampleVehicles } from './load-sample-data.ts';

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

export interface SampleDatabaseOptions {
  /** Dates the sample vehicles of an existing table from today again. */
  readonly refresh?: boolean;
  /** Where the demo keys are stored for the next start. */
  readonly dataDirectory?: string | undefined;
}

/** Creates the missing tables, fills those with sample data, and returns the demo keys. */
export const prepareSampleDatabase = async (
  endpoint: string,
  { refresh = false, dataDirectory }: SampleDatabaseOptions = {},
): Promise<DemoKeys> => {
  const db = createDatabase({ region: 'eu-west-2', endpoint, credentials: CREDENTIALS });
  const now = new Date();
  try {
    const created = await createTables(db, LOCAL_TABLE_NAMES);
    if (created.includes('vehicles')) await loadSampleVehicles(db, LOCAL_TABLE_NAMES, now);
    else if (refresh) await refreshSampleVehicles(db, LOCAL_TABLE_NAMES, now);
    if (created.includes('content')) await loadSampleContent(db, LOCAL_TABLE_NAMES, now);
    return await demoKeys(keysTable(db, LOCAL_TABLE_NAMES.keys), now, dataDirectory);
  } finally {
    db.destroy();
  }
};
