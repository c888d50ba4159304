/** The one file of functions/ and core/ that reads `process.env`. */
import { type TableId, tables } from '../tables.ts';

/** Names every missing environment variable of a function. */
export class MissingEnvironment extends Error {
  override readonly name = 'MissingEnvironment';

  constructor(variables: readonly string[]) {
    super(`missing environment variables: ${variables.join(', ')}`);
  }
}

/** The environment, in which these variables have values. @throws MissingEnvironment naming every one that has none */
const environmentWith = <Name extends string>(variables: readonly Name[]): Readonly<Record<Name, string>> => {
  const missing = variables.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new MissingEnvironment(missing);
  return process.env as Record<Name, string>;
};

/** @throws MissingEnvironment */
export const tableNamesFromEnvironment = <Id extends TableId>(ids: readonly Id[]): Record<Id, string> => {
  const environment = environmentWith(ids.map((id) => tables[id].environmentVariable));
  return Object.fromEntries(ids.map((id) => [id, environment[tables[id].environmentVariable]])) as Record<Id, string>;
};

/** Region, credentials and endpoint for DynamoDB. Lambda sets the first two. @throws MissingEnvironment */
export const awsFromEnvironment = () => {
  const environment = environmentWith(['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
  const { AWS_SESSION_TOKEN: sessionToken, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env;
  return {
    region: environment.AWS_REGION,
    ...(endpoint && { endpoint }),
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
      ...(sessionToken && { sessionToken }),
    },
  };
};

/** The KMS key from which the secrets of the lookup log are derived; undefined where the stage logs no lookups. */
export const lookupLogKey = (): string | undefined => process.env.LOOKUP_LOG_KEY || undefined;

/** Region, credentials and endpoint for KMS. @throws MissingEnvironment */
export const kmsFromEnvironment = () => ({
  ...awsFromEnvironment(),
  endpoint: environmentWith(['AWS_ENDPOINT_URL_KMS']).AWS_ENDPOINT_URL_KMS,
});

/** The plans of the stage as JSON; undefined for the default ones. */
export const plansVariable = (): string | undefined => process.env.PLANS || undefined;

/** The checks that count, separated by commas; undefined for all of them. */
export const checksVariable = (): string | undefined => process.env.CHECKS || undefined;

/** The suppliers that the stage expects, as JSON; undefined without an intake of vehicles. */
export const suppliersVariable = (): string | undefined => process.env.SUPPLIERS || undefined;

/** `https://host`, which the probe requests. @throws MissingEnvironment */
export const probedOrigin = (): string => environmentWith(['PROBED_ORIGIN']).PROBED_ORIGIN;

/** The address of the documentation site; undefined where none is published. */
export const docsUrl = (): string | undefined => process.env.DOCS_URL || undefined;

/** The namespace of a function's metrics; undefined where none are collected. */
export const metricsNamespaceFromEnvironment = (): string | undefined =>
  process.env.POWERTOOLS_METRICS_NAMESPACE || undefined;
