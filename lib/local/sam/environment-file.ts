import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_TABLE_NAMES } from '../../../functions/tables.ts';
import { localEnvironment } from '../environment.ts';

/**
 * Replaces the environment of the template, in which a table's name is its logical id and the endpoint is AWS. SAM replaces only
 * variables that the template declares.
 */
export const containerEnvironment = (endpoint: string): Record<string, string> => ({
  ...localEnvironment(endpoint, LOCAL_TABLE_NAMES),
  POWERTOOLS_LOG_LEVEL: 'ERROR',
  // Metrics are not collected here.
  POWERTOOLS_METRICS_NAMESPACE: '',
});

/** Writes the environment file of SAM and returns its path. */
export const writeEnvironmentFile = async (folder: string, endpoint: string): Promise<string> => {
  const file = join(folder, 'environment.json');
  await writeFile(file, JSON.stringify({ Parameters: containerEnvironment(endpoint) }, null, 2));
  return file;
};
