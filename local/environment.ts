import { type TableId, type TableNames, tableVariable } from '../core/tables.ts';
import { LOCAL_KEY } from './kms.ts';

export const localEnvironment = (endpoint: string, names: TableNames): Record<string, string> => ({
  AWS_REGION: 'eu-west-2',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  ...Object.fromEntries((Object.keys(names) as TableId[]).map((id) => [tableVariable(id), names[id]])),
});

/** With it the functions log lookups, as where the setting `lookupLog` is set. */
export const lookupLogEnvironment = (kmsEndpoint: string): Record<string, string> => ({
  AWS_ENDPOINT_URL_KMS: kmsEndpoint,
  LOOKUP_LOG_KEY: LOCAL_KEY,
});

/** Sets the environment of the functions. They read tables and database when they are imported. */
export const applyEnvironment = (environment: Record<string, string>): void => {
  // The service prints access lines of its own.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'ERROR';
  Object.assign(process.env, environment);
};
