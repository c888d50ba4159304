/** The one file of functions/ and core/ that reads `process.env`. */
import { type TableId, tables } from '../tables.ts';

/** Names every missing environment variable of a function. */
export class MissingEnvironment extends Error {
  override readonly name = 'MissingEnvironment';

  constructor(variables: readonly string[]) {
    super(`missing environment variables: ${variables.join(', ')}`);
  }
}

/** The values of environment variables. @throws MissingEnvironment naming every one that is absent or empty */
export const environmentValues = (variables: readonly string[]): string[] => {
  const missing = variables.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new MissingEnvironment(missing);
  return variables.map((name) => process.env[name] ?? '');
};

/** The names of the tables that a function works with, from its environment. @throws MissingEnvironment */
export const tableNamesFromEnvironment = <Id extends TableId>(ids: readonly Id[]): Record<Id, string> => {
  const names = environmentValues(ids.map((id) => tables[id].environmentVariable));
  return Object.fromEntries(ids.map((id, index) => [id, names[index]])) as Record<Id, string>;
};

/** Region, endpoint and credentials for DynamoDB: set by Lambda; a local engine accepts any. */
export interface DatabaseEnvironment {
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** @throws MissingEnvironment */
export const databaseFromEnvironment = (): DatabaseEnvironment => {
  const [region = '', accessKeyId = '', secretAccessKey = ''] = environmentValues([
    'AWS_REGION',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
  ]);
  const { AWS_SESSION_TOKEN: sessionToken, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env;
  return {
    region,
    ...(endpoint && { endpoint }),
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
  };
};

/** `https://host`, which the probe requests. @throws MissingEnvironment */
export const probedOrigin = (): string => environmentValues(['PROBED_ORIGIN'])[0] ?? '';

/** The address of the documentation site; undefined where none is published. */
export const docsUrl = (): string | undefined => process.env.DOCS_URL || undefined;

/** The namespace of a function's metrics; undefined where none are collected. */
export const metricsNamespaceFromEnvironment = (): string | undefined =>
  process.env.POWERTOOLS_METRICS_NAMESPACE || undefined;

/**
 * Whether `DYNAMODB_CLIENT=sdk` asks for the SDK's own client instead of the parts in `core/dynamodb/client`
 * (docs/dynamodb-client.md). A bundle keeps the value with which it was built.
 */
export const usesStockClient = (): boolean => process.env.DYNAMODB_CLIENT === 'sdk';
