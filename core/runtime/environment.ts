/** The one file of functions/ and core/ that reads `process.env`. */
import { type TableId, tableVariable } from '../tables.ts';

/** Names every missing environment variable of a function. */
export class MissingEnvironment extends Error {
  override readonly name = 'MissingEnvironment';

  constructor(variables: readonly string[]) {
    super(`missing environment variables: ${variables.join(', ')}`);
  }
}

/** The environment, in which these variables have values. @throws MissingEnvironment naming every one that has none */
export const environmentWith = <Name extends string>(variables: readonly Name[]): Readonly<Record<Name, string>> => {
  const missing = variables.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new MissingEnvironment(missing);
  return process.env as Record<Name, string>;
};

/** @throws MissingEnvironment */
export const tableNamesFromEnvironment = <Id extends TableId>(ids: readonly Id[]): Record<Id, string> => {
  const environment = environmentWith(ids.map(tableVariable));
  return Object.fromEntries(ids.map((id) => [id, environment[tableVariable(id)]])) as Record<Id, string>;
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

/**
 * Variables that may be absent: the plans and the expected suppliers as JSON, the checks that count, separated by
 * commas, the KMS key of the lookup log, the address of the documentation site, and the namespace of metrics.
 */
type OptionalVariable =
  | ('PLANS' | 'SUPPLIERS' | 'CHECKS' | 'LOOKUP_LOG_KEY')
  | ('DOCS_URL' | 'POWERTOOLS_METRICS_NAMESPACE');

export const optionalVariable = (name: OptionalVariable): string | undefined => process.env[name] || undefined;
