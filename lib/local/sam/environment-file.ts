import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_TABLE_NAMES } from '../../../functions/tables.ts';
import { localEnvironment } from '../environment.ts';

/**
 * What the functions in the containers are given instead of the template's values: there, a table's name is its logical
 * id and the endpoint is AWS. SAM overrides only variables that the template declares.
 */
export const containerEnvironment = (endpoint: string): Record<string, string> => ({
  ...localEnvironment(endpoint, LOCAL_TABLE_NAMES),
  POWERTOOLS_LOG_LEVEL: 'ERROR',
  // Nobody collects metrics here.
  POWERTOOLS_METRICS_NAMESPACE: '',
});

/** Writes SAM's file of variables and gives its path. */
export const writeEnvironmentFile = async (folder: string, endpoint: string): Promise<string> => {
  const file = join(folder, 'environment.json');
  await writeFile(file, JSON.stringify({ Parameters: containerEnvironment(endpoint) }, null, 2));
  return file;
};
